use tool_core::{Json, function_tool};

#[derive(serde::Serialize)]
struct Opaque;

/// Makes one.
#[function_tool]
fn make() -> Json<Opaque> {
    Json(Opaque)
}

fn main() {}
