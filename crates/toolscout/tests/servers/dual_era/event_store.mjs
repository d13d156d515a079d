// The messages of closed streams, from which clients of the legacy era resume them.

/** Creates the store of one session. */
export function createEventStore() {
  const events = [];
  return {
    async storeEvent(stream, message) {
      events.push({ stream, message });
      return `${stream}/${events.length}`;
    },
    async getStreamIdForEventId(id) {
      return id.slice(0, id.lastIndexOf("/"));
    },
    async replayEventsAfter(id, { send }) {
      const at = id.lastIndexOf("/");
      const [stream, last] = [id.slice(0, at), Number(id.slice(at + 1))];
      for (let number = last; number < events.length; number += 1) {
        const event = events[number];
        // The event that opens a stream has no message.
        if (event.stream === stream && event.message.jsonrpc) {
          await send(`${stream}/${number + 1}`, event.message);
        }
      }
      return stream;
    },
  };
}
