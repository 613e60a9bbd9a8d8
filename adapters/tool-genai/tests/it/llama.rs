//! Against a real server: llama.cpp with a small model, as `tests/llm/setup` of the workspace installs it.
//!
//! The model says what it likes; what is tested is that an agent gets along with the server whatever it says.

use std::{
    env, fs,
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::json;
use tool_core::{
    Agent, FinishReason, Model, ModelErrorKind, ModelRequest, Registry, ResultStatus, RunLimits, StopReason,
    ToolChoice,
};
use tool_genai::GenaiModel;

use crate::{
    agent::results,
    tools::{faulty_registry, registry},
    user,
};

/// A template that knows no tools: the server then drops them without a word.
const PLAIN_TEMPLATE: &str = "{%- for message in messages %}{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}\
    {%- endfor %}{{- '<|im_start|>assistant\\n' }}";

/// The server's process; it ends with this value.
struct Server {
    process: Child,
    port: u16,
}

impl Server {
    fn start(template: Option<&Path>) -> Self {
        let python = env::var("LLM_TEST_PYTHON").expect("LLM_TEST_PYTHON is what `tests/llm/setup` prints");
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/llm/serve.py");
        // Free until the server takes it: somebody else would have to take it in between.
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let process = Command::new(python)
            .arg(script)
            .arg(port.to_string())
            .args(template)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut server = Self { process, port };
        let deadline = Instant::now() + Duration::from_secs(120);
        while !server.is_healthy() {
            assert!(server.process.try_wait().unwrap().is_none(), "the server has ended");
            assert!(Instant::now() < deadline, "the server does not start");
            thread::sleep(Duration::from_millis(100));
        }
        server
    }

    fn is_healthy(&self) -> bool {
        let mut answer = String::new();
        TcpStream::connect(("127.0.0.1", self.port))
            .and_then(|mut stream| {
                stream.write_all(b"GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")?;
                stream.read_to_string(&mut answer)
            })
            .is_ok_and(|_| answer.starts_with("HTTP/1.1 200"))
    }

    /// A model that answers the same each time.
    fn model(&self) -> GenaiModel {
        GenaiModel::new("smollm")
            .with_base_url(format!("http://127.0.0.1:{}/v1", self.port))
            .with_temperature(0.0)
            .with_max_tokens(200)
            .with_extra_body(json!({"parallel_tool_calls": false, "cache_prompt": false}))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn agent(model: GenaiModel, registry: &Registry) -> Agent {
    Agent::builder(model).registry(registry.clone()).limits(RunLimits::DEFAULT.turns(2)).build().unwrap()
}

#[tokio::test]
#[ignore = "needs the llama.cpp server of tests/llm"]
async fn llama_is_driven_from_search_to_charge_and_survived() {
    let server = Server::start(None);
    finds_and_charges(&server).await;
    gets_along_without_a_required_call(&server).await;
    goes_on_after_a_cut_call(&server).await;
    names_the_place_of_a_bad_schema(&server).await;
}

#[tokio::test]
#[ignore = "needs the llama.cpp server of tests/llm"]
async fn llama_may_drop_the_tools() {
    let template = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("no_tools.jinja");
    fs::write(&template, PLAIN_TEMPLATE).unwrap();
    let server = Server::start(Some(&template));
    let result = agent(server.model().with_max_tokens(32), &registry())
        .run("Charge a credit card 1250 cents.")
        .await
        .unwrap();
    assert!(results(&result.messages).is_empty(), "{:?}", result.messages);
    assert!(
        matches!(result.stop_reason, StopReason::Answered | StopReason::EmptyAnswer),
        "{}",
        result.stop_reason
    );
    assert_eq!(result.turns, 1);
}

/// The turn limit ends the run after the charge: a model may go on for ever.
async fn finds_and_charges(server: &Server) {
    let result = agent(server.model(), &registry()).run("Charge a credit card 1250 cents.").await.unwrap();
    let calls: Vec<&str> = results(&result.messages).iter().map(|result| result.0).collect();
    assert_eq!(calls, ["tool_search", "payment_processor"], "{:#?}", result.messages);
    let (_, status, text) = &results(&result.messages)[1];
    assert_eq!((*status, text.as_str()), (ResultStatus::Succeeded, "charged 1250"));
    assert!(matches!(result.stop_reason, StopReason::TurnLimit), "{}", result.stop_reason);
    assert!(result.usage.input_tokens > 0 && result.usage.output_tokens > 0, "{:?}", result.usage);
}

/// `required` is a wish: a short answer ends before the call is one.
async fn gets_along_without_a_required_call(server: &Server) {
    let turn = registry().session().turn().await.unwrap();
    let messages = [user("Charge a credit card 1250 cents.")];
    let mut request = ModelRequest::new(&messages, &turn);
    request.choice = ToolChoice::Required;
    let reply = server.model().with_max_tokens(8).respond(request).await.unwrap();
    assert_eq!((reply.calls.len(), reply.finish), (0, FinishReason::Length), "{reply:?}");
}

/// Sent back as it came, the cut call would be answered with 500 for ever.
async fn goes_on_after_a_cut_call(server: &Server) {
    let registry = registry();
    let mut conversation = agent(server.model(), &registry).conversation(registry.session()).unwrap();
    let short = agent(server.model().with_max_tokens(20), &registry);
    let cut = short.continue_run(&mut conversation, "Charge a credit card 1250 cents.").await.unwrap();
    assert!(
        results(&cut.messages).iter().any(|result| result.1 == ResultStatus::Failed),
        "{:#?}",
        cut.messages
    );

    let next = agent(server.model(), &registry)
        .continue_run(&mut conversation, "Charge a credit card 1250 cents.")
        .await
        .unwrap();
    assert!(!matches!(next.stop_reason, StopReason::ModelError(_)), "{}", next.stop_reason);
}

/// The server's 400 fails the whole request; its text says where in the schema, not in which tool.
async fn names_the_place_of_a_bad_schema(server: &Server) {
    let result =
        agent(server.model(), &faulty_registry()).run("Charge a credit card 1250 cents.").await.unwrap();
    let StopReason::ModelError(error) = result.stop_reason else { panic!("{}", result.stop_reason) };
    assert_eq!(error.kind(), ModelErrorKind::Rejected);
    assert!(error.to_string().contains("#/properties/odd"), "{error}");
}
