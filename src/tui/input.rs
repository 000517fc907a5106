//! What the terminal sends, in a queue of our own: read ahead a little, and handed over so that
//! characters typed faster than they are handled come as one text.

use std::io;

use crossterm::event::{Event, EventStream};
use futures_util::StreamExt;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::JoinHandle;

use super::app::App;
use super::update::{Message, typed_by};

/// Events read ahead. What a paste holds beyond them waits in the terminal.
const AHEAD: usize = 1024;

/// The input of the workbench.
pub struct Input {
    events: Receiver<io::Result<Event>>,
    send: Sender<io::Result<Event>>,
    /// Taken from `events`, and not yet handed over.
    next: Option<io::Result<Event>>,
    /// None while the terminal is not ours: no reader may take a child's keys.
    reader: Option<JoinHandle<()>>,
}

impl Input {
    /// Reads the terminal from now on. Call inside the runtime.
    pub fn start() -> Input {
        let (send, events) = channel(AHEAD);
        let mut input = Input {
            events,
            send,
            next: None,
            reader: None,
        };
        input.resume();
        input
    }

    /// Stops reading the terminal, for who has it next.
    pub async fn stop(&mut self) {
        if let Some(reader) = self.reader.take() {
            reader.abort();
            // Aborted or ended: either way its reader is gone now.
            let _ = reader.await;
        }
    }

    /// Reads it again.
    pub fn resume(&mut self) {
        self.reader = Some(tokio::spawn(read(self.send.clone())));
    }

    /// Waits for an event.
    pub async fn next(&mut self) -> io::Result<Event> {
        let event = match self.next.take() {
            Some(event) => Some(event),
            None => self.events.recv().await,
        };
        event.unwrap_or_else(|| Err(ended()))
    }

    /// An event that waits already.
    pub fn waiting(&mut self) -> Option<io::Result<Event>> {
        let next = self.next.take();
        next.or_else(|| self.events.try_recv().ok())
    }

    /// The event as a message, with the characters typed after it when it typed one.
    pub fn message(&mut self, event: Event, app: &App) -> Message {
        let Some(first) = typed(&event, app) else {
            return Message::Input(event);
        };
        let mut characters = String::from(first);
        while characters.len() < AHEAD
            && let Some(event) = self.waiting()
        {
            match event.as_ref().ok().and_then(|event| typed(event, app)) {
                Some(c) => characters.push(c),
                None => {
                    self.next = Some(event);
                    break;
                }
            }
        }
        Message::Typed(characters)
    }
}

fn typed(event: &Event, app: &App) -> Option<char> {
    match event {
        Event::Key(key) => typed_by(app, key),
        _ => None,
    }
}

/// Reads the terminal while there is room. The end of the input is told as an error.
async fn read(to: Sender<io::Result<Event>>) {
    let mut events = EventStream::new();
    // Room first: an event taken is an event kept, whenever the reader is stopped.
    while let Ok(room) = to.reserve().await {
        let event = events.next().await.unwrap_or_else(|| Err(ended()));
        let failed = event.is_err();
        room.send(event);
        if failed {
            return;
        }
    }
}

fn ended() -> io::Error {
    io::ErrorKind::UnexpectedEof.into()
}

#[cfg(test)]
mod tests {
    use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

    use super::*;
    use crate::tui::testing::Bench;

    fn key(code: KeyCode) -> io::Result<Event> {
        Ok(Event::Key(KeyEvent::new(code, KeyModifiers::NONE)))
    }

    /// What the events become, as long as some wait.
    fn told(events: Vec<io::Result<Event>>, app: &App) -> Vec<String> {
        let (send, waiting) = channel(AHEAD);
        for event in events {
            send.try_send(event).unwrap();
        }
        let mut input = Input {
            events: waiting,
            send,
            next: None,
            reader: None,
        };
        let mut told = Vec::new();
        while let Some(event) = input.waiting() {
            told.push(match event.map(|event| input.message(event, app)) {
                Ok(Message::Typed(characters)) => characters,
                Ok(Message::Input(Event::Key(key))) => key.code.to_string(),
                Ok(_) => "other".into(),
                Err(_) => "error".into(),
            });
        }
        told
    }

    #[test]
    fn characters_come_together_and_all_else_alone_and_in_order() {
        let mut bench = Bench::new(80, 24);
        let events = || {
            vec![
                key(KeyCode::Char('n')),
                key(KeyCode::Char('é')),
                key(KeyCode::Enter),
                key(KeyCode::Char('q')),
                Ok(Event::Paste("x".into())),
                key(KeyCode::Char('j')),
                key(KeyCode::Char('j')),
                Err(ended()),
            ]
        };
        let in_line = ["né", "Enter", "q", "other", "jj", "error"];
        assert_eq!(told(events(), &bench.app), in_line);
        // Where they are keys, each is one.
        bench.press(&["esc"]);
        let as_keys = ["n", "é", "Enter", "q", "other", "j", "j", "error"];
        assert_eq!(told(events(), &bench.app), as_keys);
    }
}
