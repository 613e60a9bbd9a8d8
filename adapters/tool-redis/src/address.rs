//! The URL of a server: what to connect to, and the name that errors give it.
//!
//! The builder reads it once. The name has neither user nor password.

use std::fmt;

use redis::{Client, ConnectionAddr};

use crate::RedisStoreError;

/// Scheme, address and database.
#[derive(Debug, Clone)]
pub(crate) struct Address(String);

impl Address {
    /// Of a client that [`client`] made.
    pub(crate) fn of(client: &Client) -> Self {
        let info = client.get_connection_info();
        let database = info.redis_settings().db();
        Self(match info.addr() {
            ConnectionAddr::Tcp(host, port) => format!("redis://{}:{port}/{database}", bracketed(host)),
            ConnectionAddr::TcpTls { host, port, .. } => {
                format!("rediss://{}:{port}/{database}", bracketed(host))
            }
            other => format!("unix://{other}?db={database}"),
        })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// IPv6 addresses as URLs have them.
fn bracketed(host: &str) -> String {
    if host.contains(':') { format!("[{host}]") } else { host.to_owned() }
}

/// A client for the URL; connects to nothing.
pub(crate) fn client(url: &str) -> Result<Client, RedisStoreError> {
    // A raw `#` or `/` in a password ends the address there: what follows would be lost, and what precedes be the port.
    let after_scheme = url.split_once("://").filter(|(scheme, _)| !scheme.ends_with("unix"));
    if let Some((_, rest)) = after_scheme
        && let Some((authority, path)) = rest.split_once(['/', '?', '#'])
        && path.contains('@')
        && !authority.contains('@')
    {
        return Err(RedisStoreError::Url { reason: "there is a `/`, `?` or `#` before the `@`".into() });
    }
    let client = Client::open(url).map_err(|error| {
        // Only the description: details may quote the URL.
        let words = error.to_string();
        let reason = words.split_once(" - ").map_or(words.as_str(), |(description, _)| description);
        RedisStoreError::Url { reason: reason.to_owned() }
    })?;
    #[cfg(feature = "rustls-tls")]
    if matches!(client.get_connection_info().addr(), ConnectionAddr::TcpTls { .. }) {
        provide_tls();
    }
    Ok(client)
}

/// rustls panics where several providers are built in and none is installed, and redis takes the installed one.
#[cfg(feature = "rustls-tls")]
fn provide_tls() {
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        // Somebody else may be faster, with one that serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
    }
}

#[cfg(test)]
mod tests {
    use super::{Address, client};

    #[test]
    fn the_name_of_a_server_has_no_user_and_no_password() {
        for (url, name) in [
            ("redis://alice:pa%2Fss@example.org:7000/3", "redis://example.org:7000/3"),
            ("redis://alice@example.org", "redis://example.org:6379/0"),
            ("redis://:pass@[::1]:7000", "redis://[::1]:7000/0"),
            ("unix:///run/redis@1.sock?db=2&pass=pass", "unix:///run/redis@1.sock?db=2"),
        ] {
            assert_eq!(Address::of(&client(url).unwrap()).to_string(), name);
        }
    }

    #[test]
    fn a_faulty_url_is_refused_without_repeating_it() {
        for url in [
            "http://alice:hunter2@example.org",
            "redis://alice:hunter2@example.org/sessions",
            "redis://alice:hunter2@example.org/?protocol=hunter2",
            "redis://alice:hunter2/7@example.org",
            "redis://alice:1234#hunter2@example.org",
            "redis://alice:1234?hunter2@example.org",
            "alice:hunter2@example.org",
            "hunter2",
            "",
        ] {
            let error = client(url).unwrap_err();
            for text in [error.to_string(), format!("{error:?}")] {
                assert!(!text.contains("hunter2") && !text.contains("1234"), "{url}: {text}");
            }
        }
    }

    #[cfg(not(feature = "rustls-tls"))]
    #[test]
    fn tls_without_the_feature_is_a_faulty_url() {
        let error = client("rediss://example.org").unwrap_err().to_string();
        assert!(error.contains("TLS"), "{error}");
    }
}
