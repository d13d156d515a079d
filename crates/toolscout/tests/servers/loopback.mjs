// Loaded before a server that would listen on every address: it gets the loopback alone, and says which port it was given.
import net from "node:net";

const listen = net.Server.prototype.listen;
net.Server.prototype.listen = function (port, ...rest) {
  this.on("listening", () => console.error(`listening at http://127.0.0.1:${this.address().port}`));
  return listen.call(this, Number(port), "127.0.0.1", ...rest);
};
