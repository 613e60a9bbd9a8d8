//! The transport over the pipes of a child process: one message a line, and whatever else a server prints is skipped.

use std::{io, sync::Arc};

use rmcp::{
    RoleClient,
    model::ServerJsonRpcMessage,
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use tokio::{
    io::{AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader},
    sync::{Mutex, mpsc},
    task::JoinHandle,
};

use super::raw::RawAnswers;

/// Longest line that is read, in bytes. A longer one is skipped.
const MAX_LINE: usize = 64 * 1024 * 1024;
/// Messages that wait for rmcp; a server that floods waits itself.
const QUEUE: usize = 256;

/// The pipes of a server.
pub(super) struct Lines<W> {
    write: Arc<Mutex<Option<W>>>,
    incoming: mpsc::Receiver<ServerJsonRpcMessage>,
    reading: JoinHandle<()>,
    answers: Arc<RawAnswers>,
}

impl<W: AsyncWrite + Send + Unpin + 'static> Lines<W> {
    pub(super) fn new(
        read: impl AsyncRead + Send + Unpin + 'static,
        write: W,
        answers: Arc<RawAnswers>,
    ) -> Self {
        let (sender, incoming) = mpsc::channel(QUEUE);
        let reading = tokio::spawn(read_all(BufReader::new(read), sender, Arc::clone(&answers)));
        Self { write: Arc::new(Mutex::new(Some(write))), incoming, reading, answers }
    }
}

async fn read_all(
    mut read: impl AsyncBufRead + Unpin,
    sender: mpsc::Sender<ServerJsonRpcMessage>,
    answers: Arc<RawAnswers>,
) {
    let mut line = Vec::new();
    while let Ok(more) = read_line(&mut read, &mut line, &answers).await {
        for message in answers.receive(&String::from_utf8_lossy(&line)) {
            if sender.send(message).await.is_err() {
                return;
            }
        }
        line.clear();
        if !more {
            return;
        }
    }
}

/// Reads a line, or the rest before the end; `false` at the end. A line that is too long reads as an empty one.
async fn read_line(
    read: &mut (impl AsyncBufRead + Unpin),
    line: &mut Vec<u8>,
    answers: &RawAnswers,
) -> io::Result<bool> {
    let mut too_long = false;
    loop {
        let available = read.fill_buf().await?;
        if available.is_empty() {
            return Ok(false);
        }
        let end = available.iter().position(|byte| *byte == b'\n');
        let taken = end.map_or(available.len(), |end| end + 1);
        too_long |= line.len() + taken > MAX_LINE;
        if too_long {
            line.clear();
        } else {
            line.extend(available.iter().take(taken));
        }
        read.consume(taken);
        if end.is_some() {
            if too_long {
                answers.skip();
                tracing::warn!("an MCP server sent a line of more than {MAX_LINE} bytes; it was skipped");
            }
            return Ok(true);
        }
    }
}

impl<W: AsyncWrite + Send + Unpin + 'static> Transport<RoleClient> for Lines<W> {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        self.answers.note(&message);
        let write = Arc::clone(&self.write);
        async move {
            let mut text = serde_json::to_vec(&message)?;
            text.push(b'\n');
            let mut write = write.lock().await;
            let Some(write) = write.as_mut() else { return Err(io::ErrorKind::NotConnected.into()) };
            write.write_all(&text).await?;
            write.flush().await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        self.incoming.recv().await
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        // The end of its input tells the server to end.
        self.write.lock().await.take();
        self.reading.abort();
        Ok(())
    }
}

impl<W> Drop for Lines<W> {
    fn drop(&mut self) {
        self.reading.abort();
    }
}
