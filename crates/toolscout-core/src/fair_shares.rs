//! Fair shares: divides a limited number of places between clients, so that one that takes many
//! leaves some for the others.
//!
//! A client may hold as many places as are still free. So there is always a free place for a
//! client that holds none, until there are more clients than places; how much one can take
//! shrinks by itself as others arrive. The rule applies twice: between principals, and between the
//! clients of one principal, which may share a token.

#[cfg(test)]
mod tests;

use crate::Cx;
use parking_lot::Mutex;
use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

/// The client that a place is counted for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct ShareKey {
    /// The authenticated principal; `None` if clients are not distinguished.
    pub principal: Option<Arc<str>>,
    /// The session or the name of the client, which only divides the share of its principal.
    pub client: Option<Arc<str>>,
}

impl ShareKey {
    /// The client that a request belongs to.
    pub fn of(cx: &Cx) -> Self {
        let client = cx.session.clone().or_else(|| cx.client.clone());
        Self { principal: cx.user.clone(), client }
    }
}

/// The places that are held already, as far as they matter for one client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeldPlaces {
    /// Those of all clients.
    pub all: usize,
    /// Those of its principal.
    pub by_principal: usize,
    /// Its own.
    pub by_client: usize,
}

impl HeldPlaces {
    /// Whether the client may take so many more of `total` places, of which one principal can hold
    /// `each` at most.
    pub fn leave_room(self, places: usize, total: usize, each: usize) -> bool {
        let free = total.saturating_sub(self.all);
        let free_of_principal = each.min(total).saturating_sub(self.by_principal);
        self.by_principal + places <= free && self.by_client + places <= free_of_principal
    }
}

/// A limited number of places.
#[derive(Debug)]
pub struct FairShares {
    total: usize,
    /// How many places one principal can hold at most.
    each: usize,
    state: Mutex<SharesState>,
}

/// Places that are held; dropping the permit returns them.
#[derive(Debug)]
pub struct SharePermit {
    shares: Arc<FairShares>,
    key: ShareKey,
    places: usize,
}

#[derive(Debug, Default)]
struct SharesState {
    held: usize,
    /// The number of times that places were taken so far.
    turns: u64,
    /// The number of requests that waited so far.
    arrivals: u64,
    /// Principals that hold places or wait for one.
    principals: HashMap<Option<Arc<str>>, PrincipalShare>,
}

#[derive(Debug, Default)]
struct PrincipalShare {
    held: usize,
    /// The turn in which it last took places, or arrived: a new one does not overtake those that
    /// wait already.
    last_turn: u64,
    clients: HashMap<Option<Arc<str>>, ClientShare>,
}

#[derive(Debug, Default)]
struct ClientShare {
    held: usize,
    /// As that of its principal.
    last_turn: u64,
    waiting: VecDeque<Arc<Mutex<Turn>>>,
}

/// The turn of a waiting client.
#[derive(Debug, Default)]
struct Turn {
    /// Decides between clients that are equal otherwise.
    arrival: u64,
    is_granted: bool,
    waker: Option<Waker>,
}

impl FairShares {
    /// `total` places, of which one principal can hold `each` at most.
    pub fn new(total: usize, each: usize) -> Arc<Self> {
        Arc::new(Self { total, each, state: Mutex::default() })
    }

    /// A place, unless the client holds its share already.
    pub fn try_acquire(self: &Arc<Self>, key: &ShareKey) -> Option<SharePermit> {
        let mut permit = self.empty_permit(key);
        permit.grow(1).then_some(permit)
    }

    /// A permit without a place, which can grow.
    pub fn empty_permit(self: &Arc<Self>, key: &ShareKey) -> SharePermit {
        SharePermit { shares: self.clone(), key: key.clone(), places: 0 }
    }

    /// Waits for a place. Places that become free go to the waiting principals in turn, and to the
    /// clients of each in turn, regardless of how many places each of them waits for. Cancel-safe.
    pub async fn acquire(self: &Arc<Self>, key: &ShareKey) -> SharePermit {
        let turn = {
            let mut state = self.state.lock();
            let turn = state.wait(key);
            state.grant(self.total, self.each);
            turn
        };
        WaitingTurn { shares: self, key, turn, is_taken: false }.await;
        SharePermit { shares: self.clone(), key: key.clone(), places: 1 }
    }

    /// The places that this client holds.
    pub fn held_by(&self, key: &ShareKey) -> usize {
        let state = self.state.lock();
        let principal = state.principals.get(&key.principal);
        principal.and_then(|principal| principal.clients.get(&key.client)).map_or(0, |it| it.held)
    }

    /// The places that all clients hold.
    pub fn held(&self) -> usize {
        self.state.lock().held
    }
}

impl SharePermit {
    /// Takes more places; returns false, and takes none, if that would exceed the share.
    pub fn grow(&mut self, places: usize) -> bool {
        let mut state = self.shares.state.lock();
        let is_free = state.has_room(&self.key, places, self.shares.total, self.shares.each);
        if is_free {
            state.take(&self.key, places);
            self.places += places;
        }
        is_free
    }
}

impl Drop for SharePermit {
    fn drop(&mut self) {
        if self.places > 0 {
            let mut state = self.shares.state.lock();
            state.release(&self.key, self.places);
            state.grant(self.shares.total, self.shares.each);
        }
    }
}

impl SharesState {
    fn client(&mut self, key: &ShareKey) -> &mut ClientShare {
        let last_turn = self.turns;
        let principal = self
            .principals
            .entry(key.principal.clone())
            .or_insert_with(|| PrincipalShare { last_turn, ..PrincipalShare::default() });
        principal
            .clients
            .entry(key.client.clone())
            .or_insert_with(|| ClientShare { last_turn, ..ClientShare::default() })
    }

    /// Adds a waiting request of this client.
    fn wait(&mut self, key: &ShareKey) -> Arc<Mutex<Turn>> {
        self.arrivals += 1;
        let turn = Turn { arrival: self.arrivals, ..Turn::default() };
        let turn = Arc::new(Mutex::new(turn));
        self.client(key).waiting.push_back(turn.clone());
        turn
    }

    /// Whether this client may take so many places now.
    fn has_room(&self, key: &ShareKey, places: usize, total: usize, each: usize) -> bool {
        let principal = self.principals.get(&key.principal);
        let by_principal = principal.map_or(0, |it| it.held);
        let client = principal.and_then(|it| it.clients.get(&key.client));
        let by_client = client.map_or(0, |it| it.held);
        HeldPlaces { all: self.held, by_principal, by_client }.leave_room(places, total, each)
    }

    /// Takes places, also without waiting, which counts as a turn: else a client that had places
    /// and one that had none would be equal. Those that arrive before the next turn come first.
    fn take(&mut self, key: &ShareKey, places: usize) {
        self.held += places;
        self.turns += 1;
        let last_turn = self.turns + 1;
        let client = self.client(key);
        client.held += places;
        client.last_turn = last_turn;
        if let Some(principal) = self.principals.get_mut(&key.principal) {
            principal.held += places;
            principal.last_turn = last_turn;
        }
    }

    fn release(&mut self, key: &ShareKey, places: usize) {
        self.held -= places;
        self.client(key).held -= places;
        if let Some(principal) = self.principals.get_mut(&key.principal) {
            principal.held -= places;
        }
        self.forget_if_idle(key);
    }

    /// Removes a client that holds nothing and waits for nothing.
    fn forget_if_idle(&mut self, key: &ShareKey) {
        let Some(principal) = self.principals.get_mut(&key.principal) else { return };
        let is_idle = |client: &ClientShare| client.held == 0 && client.waiting.is_empty();
        if principal.clients.get(&key.client).is_some_and(is_idle) {
            principal.clients.remove(&key.client);
        }
        if principal.clients.is_empty() {
            self.principals.remove(&key.principal);
        }
    }

    /// Gives free places to waiting clients: first to the principal that holds the fewest, and
    /// among equals to the one whose last turn is longest ago, and that has waited longest.
    fn grant(&mut self, total: usize, each: usize) {
        while let Some(key) = self.next(total, each) {
            self.take(&key, 1);
            let Some(turn) = self.client(&key).waiting.pop_front() else { return };
            let mut turn = turn.lock();
            turn.is_granted = true;
            if let Some(waker) = turn.waker.take() {
                waker.wake();
            }
        }
    }

    fn next(&self, total: usize, each: usize) -> Option<ShareKey> {
        let waiting = self.principals.iter().flat_map(|(name, principal)| {
            principal.clients.iter().filter_map(move |(client_name, client)| {
                let arrival = client.waiting.front()?.lock().arrival;
                let of_principal = (principal.held, principal.last_turn);
                let order = (of_principal, client.held, client.last_turn, arrival);
                let key = ShareKey { principal: name.clone(), client: client_name.clone() };
                Some((order, key))
            })
        });
        waiting
            .filter(|(_, key)| self.has_room(key, 1, total, each))
            .min_by_key(|(order, _)| *order)
            .map(|(_, key)| key)
    }
}

/// Resolves when the turn has come. Dropping it gives up the turn.
struct WaitingTurn<'a> {
    shares: &'a Arc<FairShares>,
    key: &'a ShareKey,
    turn: Arc<Mutex<Turn>>,
    /// Whether the place belongs to a permit.
    is_taken: bool,
}

impl Future for WaitingTurn<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut turn = self.turn.lock();
        if !turn.is_granted {
            turn.waker = Some(cx.waker().clone());
            return Poll::Pending;
        }
        drop(turn);
        self.is_taken = true;
        Poll::Ready(())
    }
}

impl Drop for WaitingTurn<'_> {
    fn drop(&mut self) {
        if self.is_taken {
            return;
        }
        let mut state = self.shares.state.lock();
        if self.turn.lock().is_granted {
            state.release(self.key, 1);
            state.grant(self.shares.total, self.shares.each);
        } else {
            state.client(self.key).waiting.retain(|turn| !Arc::ptr_eq(turn, &self.turn));
            state.forget_if_idle(self.key);
        }
    }
}
