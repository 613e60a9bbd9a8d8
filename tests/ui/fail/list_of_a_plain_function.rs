use tool_core::tools;

fn echo(msg: String) -> String {
    msg
}

fn main() {
    let _ = (tools![echo], echo(String::new()));
}
