//! Who a model is, as spans name it.

use tool_core::{Model, ModelIdentity};
use tool_genai::GenaiModel;

#[test]
fn the_provider_has_the_name_of_the_convention_and_the_model_its_own() {
    for (name, provider) in [
        ("gpt-4o", "openai"),
        ("claude-haiku-4-5", "anthropic"),
        ("gemini-2.5-flash", "gcp.gemini"),
        ("groq::llama-3.3-70b-versatile", "groq"),
    ] {
        let model = GenaiModel::new(name);
        assert_eq!(model.identity(), ModelIdentity::new(Some(provider), name));
    }
    let local = GenaiModel::new("smollm").with_base_url("http://127.0.0.1:8080/v1");
    assert_eq!(local.identity(), ModelIdentity::new(Some("openai"), "smollm"));
}
