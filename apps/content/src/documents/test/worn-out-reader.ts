/** The process that reads documents, which its first one leaves without the memory for another. */
import { Socket } from 'node:net';

let begun = 0;
// oxlint-disable-next-line typescript/unbound-method -- it is called as one of the socket
const { write } = Socket.prototype;
Socket.prototype.write = function (this: Socket, ...args: unknown[]): boolean {
  const [data] = args;
  if (Buffer.isBuffer(data) && data.includes('"recognised"') && (begun += 1) > 1) process.abort();
  return Reflect.apply(write, this, args) as boolean;
};

await import('../extraction/reader-process.ts');
