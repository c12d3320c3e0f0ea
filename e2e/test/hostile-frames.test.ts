import { afterEach, beforeAll, expect, it } from '@jest/globals';
import { waitFor } from '@platform-backend/testing';
import { describeWhere } from '@platform-backend/testing/where';
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { kernelsForOneLack } from '../src/kernels-here.ts';
import { newCustomer, type Person } from '../src/people.ts';
import { sharedPlatform } from '../src/platform.ts';

const platform = sharedPlatform();
const KERNELS = '/notebooks/services/session/api/kernels';
const V1 = 'v1.kernel.websocket.jupyter.org';

type Frame = string | Buffer<ArrayBuffer>;
type Message = { msg_type: string; channel: string; content: object; header?: object };

const opened: WebSocket[] = [];
afterEach(() => {
  for (const socket of opened.splice(0)) socket.close();
});

/** A client of a kernel's channels; with `frames` it says these as soon as it may. */
const connect = (person: Person, kernelId: string, protocols: string[], frames: readonly Frame[] = []) => {
  const address = `${platform.url.replace('http', 'ws')}${KERNELS}/${kernelId}/channels`;
  const socket = new WebSocket(`${address}?session_id=${randomUUID()}&token=${person.token}`, protocols);
  opened.push(socket);
  const texts: string[] = [];
  const closed = Promise.withResolvers<number>();
  socket.addEventListener('message', ({ data }) => {
    if (typeof data === 'string') texts.push(data);
  });
  socket.addEventListener('close', ({ code }) => closed.resolve(code));
  socket.addEventListener('open', () => frames.forEach((frame) => socket.send(frame)));
  return { texts, closed: closed.promise };
};

const headerOf = (type: string) => ({
  msg_id: randomUUID(),
  msg_type: type,
  session: 's',
  username: '',
  date: '',
  version: '5.3',
});

const json = ({ msg_type: type, header = headerOf(type), ...rest }: Message): string =>
  JSON.stringify({ header, parent_header: {}, metadata: {}, buffers: [], ...rest });

const v1 = ({ msg_type: type, header = headerOf(type), channel, content }: Message): Buffer<ArrayBuffer> => {
  const parts = [channel, JSON.stringify(header), '{}', '{}', JSON.stringify(content)].map((part) => Buffer.from(part));
  const table = new BigUint64Array(parts.length + 2);
  let offset = table.byteLength;
  table.set([BigInt(parts.length + 1), BigInt(offset)]);
  for (const [at, part] of parts.entries()) table[at + 2] = BigInt((offset += part.length));
  return Buffer.concat([Buffer.from(table.buffer), ...parts]);
};

const pick = <Item>(items: readonly Item[]): Item => items[randomInt(items.length)] as Item;

const randomMessage = (): Message => ({
  channel: pick(['shell', 'control', 'stdin', 'iopub', 'nowhere', '']),
  msg_type: pick(['execute_request', 'execute_reply', 'input_reply', 'comm_msg', 'status', 'no such type', '', '💥']),
  content: pick<object>([{}, { code: 1 }, { code: null, silent: 'x' }, { value: [] }, { execution_state: 'dead' }, []]),
  ...(randomInt(4) === 0 && {
    header: pick<object>([{}, [], { msg_id: 1, msg_type: {} }, { msg_id: 'x'.repeat(300) }]),
  }),
});

const changed = (frame: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> => {
  for (let times = randomInt(8); times >= 0; times -= 1) frame[randomInt(frame.length)] = randomInt(256);
  return frame;
};

/** One of what nobody's client sends. */
const hostileFrame = (): Frame =>
  pick<() => Frame>([
    () => randomBytes(randomInt(400)),
    () => randomBytes(randomInt(400)).toString('latin1'),
    () => json(randomMessage()),
    () => v1(randomMessage()),
    () => changed(v1(randomMessage())),
    () => v1(randomMessage()).subarray(0, randomInt(100)),
    () => json(randomMessage()).slice(0, randomInt(200)),
    () => '{"header":'.repeat(10_000),
    () => Buffer.from(new BigUint64Array(90).fill(2n ** 63n).buffer),
  ])();

/** After it every connection is closed, if it was not before. */
const THE_LAST = '{';
/** A message that is none, one that breaks a rule of the contract, or a frame that is longer than that allows. */
const CLOSED_FOR_IT = [4400, 4422, 1009];

describeWhere(await kernelsForOneLack(), 'a kernel whose client sends what no client sends', () => {
  let [ada, bob] = [] as unknown as [Person, Person];
  let [hers, his] = ['', ''];
  const kernelOf = async (person: Person) => (await person.call<{ id: string }>('POST', KERNELS, { body: {} })).body.id;
  const isWell = async (person: Person, kernelId: string): Promise<void> => {
    const content = { code: '6 * 7', silent: false, store_history: true, user_expressions: {}, allow_stdin: false };
    const asked = json({ msg_type: 'execute_request', channel: 'shell', content });
    const { texts } = connect(person, kernelId, [], [asked]);
    await waitFor(() => texts.some((text) => text.includes('"execute_result"') && text.includes('42')), {
      what: 'the kernel to answer',
    });
  };

  beforeAll(async () => {
    [ada, bob] = [await newCustomer(platform, 'Ada'), await newCustomer(platform, 'Bob')];
    [hers, his] = [await kernelOf(ada), await kernelOf(bob)];
  });

  it.each([
    ['its subprotocol', [V1]],
    ['no subprotocol', []],
  ])('closes the connection and stays well, with %s', async (_, protocols) => {
    for (let round = 0; round < 20; round += 1) {
      const clients = Array.from({ length: 4 }, () => {
        const frames = Array.from({ length: 1 + randomInt(5) }, hostileFrame);
        return connect(ada, hers, protocols, [...frames, THE_LAST]);
      });
      for (const { closed } of clients) expect(CLOSED_FOR_IT).toContain(await closed);
    }
    await isWell(ada, hers);
    await isWell(bob, his);
  });

  it('closes it on a frame that is too large, whatever it says', async () => {
    const large = json({ msg_type: 'execute_request', channel: 'shell', content: { code: ' '.repeat(9 * 2 ** 20) } });
    expect(await connect(ada, hers, [], [large]).closed).toBe(1009);
    expect(await connect(ada, hers, [V1], [Buffer.alloc(9 * 2 ** 20)]).closed).toBe(1009);
    await isWell(ada, hers);
    await isWell(bob, his);
  });

  it('is reached by no one else, whatever they name', async () => {
    const { closed, texts } = connect(bob, hers, [V1], [v1(randomMessage())]);
    expect(await closed).toBe(1006);
    expect(texts).toEqual([]);
    await isWell(ada, hers);
  });

  it('waits for no end of what it does not know', async () => {
    const unknown = Array.from({ length: 300 }, () => json({ msg_type: 'unknown', channel: 'shell', content: {} }));
    const broken = Array.from({ length: 120 }, () =>
      json({ msg_type: 'execute_request', channel: 'shell', content: {} }),
    );
    const { closed } = connect(ada, hers, [], [...unknown, ...broken, THE_LAST]);
    expect(await closed).toBe(4400);
    await isWell(ada, hers);
  });
});
