//! Servers behind TLS.

use std::{env, path::Path, process::Command, time::Duration};

use tool_core::SessionStore;
use tool_redis::{RedisStore, RedisStoreError};

use crate::{
    saved,
    server::{Server, free_port},
};

/// In the test's second process: where the server is, whose certificate that process trusts.
const URL: &str = "TOOL_REDIS_TLS_URL";

/// A server with a certificate that signs itself, and its URL.
fn start(certificates: &Path) -> (Server, String) {
    let (certificate, key) = (certificates.join("certificate.pem"), certificates.join("key.pem"));
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=127.0.0.1"])
        .args(["-addext", "subjectAltName=IP:127.0.0.1", "-addext", "basicConstraints=critical,CA:FALSE"])
        .arg("-out")
        .arg(&certificate)
        .arg("-keyout")
        .arg(&key)
        .output()
        .expect("`openssl` is installed");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let port = free_port().to_string();
    let [certificate, key] = [&certificate, &key].map(|path| path.to_str().unwrap());
    let server = Server::start_with(&[
        "--tls-port",
        &port,
        "--tls-cert-file",
        certificate,
        "--tls-key-file",
        key,
        "--tls-ca-cert-file",
        certificate,
        "--tls-auth-clients",
        "no",
    ]);
    (server, format!("rediss://127.0.0.1:{port}"))
}

#[test]
#[ignore = "needs redis-server and openssl"]
fn a_trusted_server_is_reached() {
    if let Ok(url) = env::var(URL) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        return runtime.block_on(async {
            let store = RedisStore::builder(url).timeout(Duration::from_secs(60)).connect().await.unwrap();
            saved(store.save("chat", b"first", None).await.unwrap());
            assert_eq!(store.load("chat").await.unwrap().unwrap().bytes, b"first");
        });
    }
    let folder = tempfile::tempdir().unwrap();
    let (_server, url) = start(folder.path());
    // Trust is a matter of the process.
    let status = Command::new(env::current_exe().unwrap())
        .args(["--exact", "tls::a_trusted_server_is_reached", "--ignored"])
        .env(URL, url)
        .env("SSL_CERT_FILE", folder.path().join("certificate.pem"))
        .status()
        .unwrap();
    assert!(status.success());
}

#[tokio::test]
#[ignore = "needs redis-server and openssl"]
async fn a_server_that_nobody_vouches_for_is_not_talked_to() {
    let folder = tempfile::tempdir().unwrap();
    let (_server, url) = start(folder.path());
    let error = RedisStore::connect(&url).await.unwrap_err();
    assert!(matches!(&error, RedisStoreError::Connect { server, .. } if server.starts_with(&url)), "{error}");
    assert!(error.to_string().contains("certificate"), "{error}");
}
