//! A minimal collector on loopback.

use flate2::read::GzDecoder;
use parking_lot::Mutex;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

const DONE: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 0\r\n\r\n";

pub(in super::super) struct Receiver {
    address: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

#[derive(Debug, Clone)]
pub(in super::super) struct Request {
    pub(in super::super) line: String,
    headers: Vec<(String, String)>,
    /// The body after decompression.
    pub(in super::super) body: Vec<u8>,
}

impl Request {
    pub(in super::super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(header, _)| header == name).map(|(_, value)| value.as_str())
    }
}

impl Receiver {
    /// Gives these responses first, and then accepts every request.
    pub(in super::super) fn start(answers: &[&str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let requests = Arc::<Mutex<Vec<Request>>>::default();
        let mut answers: Vec<String> =
            answers.iter().rev().map(|answer| (*answer).to_owned()).collect();
        let taken = requests.clone();
        thread::spawn(move || {
            for stream in listener.incoming().filter_map(Result::ok) {
                let mut stream = BufReader::new(stream);
                while let Some(request) = read(&mut stream) {
                    let answer = answers.pop();
                    if answer.is_none() {
                        taken.lock().push(request);
                    }
                    let _ =
                        stream.get_mut().write_all(answer.as_deref().unwrap_or(DONE).as_bytes());
                }
            }
        });
        Self { address, requests }
    }

    /// Accepts connections and never responds.
    pub(in super::super) fn silent() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        thread::spawn(move || listener.incoming().collect::<Vec<_>>().len());
        Self { address, requests: Arc::default() }
    }

    pub(in super::super) fn address(&self) -> String {
        self.address.clone()
    }

    /// The requests received so far.
    pub(in super::super) fn requests(&self) -> Vec<Request> {
        self.requests.lock().clone()
    }
}

fn read(stream: &mut BufReader<TcpStream>) -> Option<Request> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).ok().filter(|line| *line > 0)?;
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_owned()),
        }
    }
    let header = |text: &String| {
        text.split_once(':').map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()))
    };
    let headers: Vec<_> = lines[1..].iter().filter_map(header).collect();
    let mut request = Request { line: lines[0].clone(), headers, body: Vec::new() };
    let length =
        request.header("content-length").and_then(|header| header.parse().ok()).unwrap_or_default();
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    request.body = match request.header("content-encoding") {
        Some("gzip") => {
            let mut plain = Vec::new();
            GzDecoder::new(&body[..]).read_to_end(&mut plain).expect("gzip");
            plain
        }
        _ => body,
    };
    Some(request)
}
