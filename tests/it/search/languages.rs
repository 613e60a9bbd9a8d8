//! Tools that are described in other languages and scripts.

use tool_core::{FieldedRanker, Stemming};

use super::{catalog, found, found_by};

#[test]
fn a_query_finds_what_is_described_in_its_own_language() {
    let tools = catalog(&[
        ("law_zh", "检索中华人民共和国的法律法规"),
        ("weather_zh", "查询指定城市的天气预报"),
        ("law_ja", "日本の法令を検索します。"),
        ("mail_ja", "メールを送信します。"),
        ("weather_ko", "도시의 날씨를 알려줍니다"),
        ("weather_ru", "Прогноз погоды для города"),
        ("files_ru", "Удаляет старые файлы"),
        ("weather_el", "Πρόγνωση καιρού για μια πόλη"),
        ("weather_hi", "शहर का मौसम बताता है"),
        ("train_th", "ค้นหาตารางเวลารถไฟ"),
        ("cafe_fr", "Trouve un café près d'ici"),
        ("strasse_de", "Findet die Straße und die Größe eines Hauses"),
    ]);
    for (query, name) in [
        ("法令", "law_ja"),
        ("メール", "mail_ja"),
        ("天气", "weather_zh"),
        ("法律法规检索", "law_zh"),
        ("날씨", "weather_ko"),
        ("прогнозы погоды", "weather_ru"),
        ("удалить файл", "files_ru"),
        ("ΚΑΙΡΟΎ", "weather_el"),
        ("मौसम", "weather_hi"),
        ("รถไฟ", "train_th"),
        ("cafe", "cafe_fr"),
        ("CAFÉ", "cafe_fr"),
        ("STRASSE", "strasse_de"),
        ("große", "strasse_de"),
        ("ｃａｆé", "cafe_fr"),
    ] {
        assert_eq!(found(&tools, query).first().map(String::as_str), Some(name), "{query}");
    }
}

#[test]
fn the_language_of_the_stemmer_is_a_setting() {
    let tools = catalog(&[("a", "Sucht in den Häusern"), ("b", "Running")]);
    let german = FieldedRanker::builder().stemming(Stemming::German).build().unwrap();
    let none = FieldedRanker::builder().stemming(Stemming::None).build().unwrap();
    assert_eq!(found_by(&german, &tools, "suchen"), ["a"]);
    assert!(found_by(&none, &tools, "run").is_empty());
    assert_eq!(found_by(&none, &tools, "RUNNING"), ["b"]);
}
