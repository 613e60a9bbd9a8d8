//! A way to the server that loses answers: requests come through, and the connection breaks instead of the answer.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

use crate::server::Server;

pub(crate) struct Proxy {
    port: u16,
    loses_next: Arc<AtomicBool>,
}

impl Proxy {
    pub(crate) async fn before(server: &Server) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let proxy = Self { port: listener.local_addr().unwrap().port(), loses_next: Arc::default() };
        let (port, loses_next) = (server.port(), Arc::clone(&proxy.loses_next));
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
                tokio::spawn(pass(client, server, Arc::clone(&loses_next)));
            }
        });
        proxy
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    pub(crate) fn lose_next_answer(&self) {
        self.loses_next.store(true, Ordering::SeqCst);
    }

    pub(crate) fn has_lost(&self) -> bool {
        !self.loses_next.load(Ordering::SeqCst)
    }
}

async fn pass(client: TcpStream, server: TcpStream, loses_next: Arc<AtomicBool>) {
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let requests = tokio::spawn(async move { tokio::io::copy(&mut from_client, &mut to_server).await });
    let mut answer = vec![0; 1 << 16];
    while let Ok(length @ 1..) = from_server.read(&mut answer).await {
        if loses_next.swap(false, Ordering::SeqCst) {
            break;
        }
        if to_client.write_all(&answer[..length]).await.is_err() {
            break;
        }
    }
    requests.abort();
}
