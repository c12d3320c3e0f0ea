import { waitFor } from '@platform-backend/testing';
import { randomUUID } from 'node:crypto';
import type { Channel, KernelHandle, KernelMessage } from '../domain/kernel-provider.ts';

type Json = Record<string, unknown>;

/** A message as a client reads it. */
export interface Heard {
  readonly channel: Channel;
  readonly type: string;
  readonly parent: string;
  readonly content: Json;
}

export interface Answer {
  readonly reply: Json;
  /** What came on iopub for the request, its states left out. */
  readonly outputs: readonly Heard[];
  /** The text of a stream, put together. */
  readonly text: (stream: string) => string;
}

export interface KernelClient {
  readonly heard: readonly Heard[];
  /** Sends a request and answers its id at once. */
  readonly send: (channel: Channel, type: string, content: Json, parent?: Json) => Promise<string>;
  /** Waits for the reply and the idle state, as clients do. */
  readonly answerTo: (id: string) => Promise<Answer>;
  readonly execute: (code: string, more?: Json) => Promise<Answer>;
  /** Sends an execute request; answers its id at once. */
  readonly post: (code: string, more?: Json) => Promise<string>;
  /** Sends an execute request and waits until the kernel says that it runs; answers the request's id. */
  readonly begin: (code: string, more?: Json) => Promise<string>;
  readonly request: (type: string, content: Json) => Promise<Json>;
  readonly waitForText: (id: string, text: string) => Promise<void>;
}

/** What has been heard of one request. A flood is many messages, and whoever waits looks often: nothing here goes through them. */
interface Told {
  readonly all: Heard[];
  readonly states: Set<unknown>;
  reply: Json | undefined;
  text: string;
}

/** A client of one kernel that keeps everything it hears. */
export function kernelClient(kernel: KernelHandle): KernelClient {
  const heard: Heard[] = [];
  const requests = new Map<string, Told>();
  const session = randomUUID();
  const told = (id: string): Told => {
    const known = requests.get(id) ?? { all: [], states: new Set(), reply: undefined, text: '' };
    requests.set(id, known);
    return known;
  };
  kernel.listen((message) => {
    const one = readMessage(message);
    heard.push(one);
    const { channel, type, content } = one;
    const about = told(one.parent);
    about.all.push(one);
    if (type === 'status') about.states.add(content['execution_state']);
    if (type === 'stream') about.text += String(content['text']);
    if (channel === 'shell' && type.endsWith('_reply')) about.reply ??= content;
  });

  const client: KernelClient = {
    heard,
    async send(channel, type, content, parent = {}) {
      const id = randomUUID();
      const header = { msg_id: id, msg_type: type, session, username: '', date: new Date(), version: '5.3' };
      await kernel.send({
        channel,
        ...{ header: json(header), parentHeader: json(parent), metadata: json({}), content: json(content) },
        buffers: [],
      });
      return id;
    },
    async answerTo(id) {
      const about = told(id);
      const reply = await waitFor(() => (about.states.has('idle') ? about.reply : undefined), {
        what: 'reply and idle',
      });
      const outputs = about.all.filter(({ channel, type }) => channel === 'iopub' && type !== 'status');
      return {
        reply,
        outputs,
        text: (stream) =>
          outputs
            .filter(({ type, content }) => type === 'stream' && content['name'] === stream)
            .map(({ content }) => content['text'])
            .join(''),
      };
    },
    post: async (code, more) => await client.send('shell', 'execute_request', executing(code, more)),
    execute: async (code, more) => await client.answerTo(await client.post(code, more)),
    async begin(code, more) {
      const id = await client.post(code, more);
      await waitFor(() => told(id).states.has('busy'), { what: 'busy' });
      return id;
    },
    request: async (type, content) => (await client.answerTo(await client.send('shell', type, content))).reply,
    async waitForText(id, text) {
      await waitFor(() => told(id).text.includes(text), { what: text });
    },
  };
  return client;
}

const executing = (code: string, more: Json = {}): Json => ({
  ...{ code, silent: false, store_history: true, user_expressions: {}, allow_stdin: false, stop_on_error: false },
  ...more,
});

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

function readMessage({ channel, header, parentHeader, content }: KernelMessage): Heard {
  const parse = (bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString('utf8')) as Json;
  const { msg_type: type } = parse(header) as { msg_type: string };
  const { msg_id: parent = '' } = parse(parentHeader) as { msg_id?: string };
  return { channel, type, parent, content: parse(content) };
}
