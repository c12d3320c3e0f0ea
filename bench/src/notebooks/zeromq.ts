/** The direct variant to an ipykernel: what one writes with the zeromq package, for the same messages. */
import { createHmac, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Dealer, Subscriber, type Observer } from 'zeromq';
import type { Connect, Hear, Message } from './wire.ts';

interface ConnectionFile {
  readonly transport: string;
  readonly ip: string;
  readonly key: string;
  readonly shell_port: number;
  readonly iopub_port: number;
  readonly control_port: number;
}

const DELIMITER = Buffer.from('<IDS|MSG>');

/** With the connection file that whoever started the kernel has written for it. */
export const overZeromq =
  (path: string): Connect =>
  async (hear) => {
    const file = JSON.parse(readFileSync(path, 'utf8')) as ConnectionFile;
    const options = { linger: 0, routingId: randomUUID() };
    const [shell, control, iopub] = [new Dealer(options), new Dealer(options), new Subscriber({ linger: 0 })];
    const ports = [
      { socket: shell, port: file.shell_port },
      { socket: control, port: file.control_port },
      { socket: iopub, port: file.iopub_port },
    ];
    const connected = ports.map(({ socket }) => handshakeOf(socket.events));
    iopub.subscribe();
    for (const { socket, port } of ports) socket.connect(`${file.transport}://${file.ip}-${port}`);
    await Promise.all(connected);
    void listen('shell', shell, file.key, hear);
    void listen('control', control, file.key, hear);
    void listen('iopub', iopub, file.key, hear);
    return {
      say: async (message) => await shell.send(framesOf(message, file.key)),
      interrupt: async () => await control.send(framesOf(request('interrupt_request'), file.key)),
      close() {
        for (const { socket } of ports) socket.close();
        return Promise.resolve();
      },
    };
  };

async function handshakeOf(events: Observer): Promise<void> {
  for await (const { type } of events) if (type === 'handshake') return;
}

async function listen(channel: string, socket: AsyncIterable<Buffer[]>, key: string, hear: Hear): Promise<void> {
  for await (const frames of socket) {
    const start = frames.findIndex((frame) => frame.equals(DELIMITER));
    const [signature, ...parts] = frames.slice(start + 1) as [Buffer, Buffer, Buffer, Buffer, Buffer];
    const [header, parentHeader, metadata, content] = parts;
    if (signature.toString() !== signatureOf(parts.slice(0, 4), key)) throw new Error('the signature is not right');
    hear({ channel, header, parentHeader, metadata, content });
  }
}

function framesOf({ header, parentHeader, metadata, content }: Message, key: string): Uint8Array[] {
  const parts = [header, parentHeader, metadata, content];
  return [DELIMITER, Buffer.from(signatureOf(parts, key)), ...parts];
}

function request(type: string): Message {
  const header = { msg_id: randomUUID(), msg_type: type, session: '', username: '', date: new Date(), version: '5.3' };
  const nothing = Buffer.from('{}');
  const content = { parentHeader: nothing, metadata: nothing, content: nothing };
  return { channel: 'control', header: Buffer.from(JSON.stringify(header)), ...content };
}

function signatureOf(parts: readonly Uint8Array[], key: string): string {
  const hmac = createHmac('sha256', key);
  for (const part of parts) hmac.update(part);
  return hmac.digest('hex');
}
