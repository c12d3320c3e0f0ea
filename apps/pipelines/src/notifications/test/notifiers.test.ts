import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inOwnChannels } from '../notifiers/own-channels.ts';
import { slackApi } from '../notifiers/slack-api.ts';

const letter = {
  ...{ id: '6f2a', title: 'Wöchentlich: done', text: 'All is well.\n.\nReally <b>.' },
  ...{ takes: 1, createdAt: new Date('2026-07-01T12:00:00Z') },
};

describe('Slack, told of an execution', () => {
  interface Call {
    readonly path: string | undefined;
    readonly token: string | undefined;
    readonly body: Readonly<Record<string, unknown>>;
  }
  let calls: Call[];
  let answer: { status: number; body: object };
  /** Of the channel, page by page. */
  let history: object[];
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      const body = JSON.parse(text === '' ? '{}' : text) as Call['body'];
      calls.push({ path: request.url, token: request.headers.authorization, body });
      if (request.method === 'GET') {
        response.end(JSON.stringify(history.shift()));
        return;
      }
      response.writeHead(answer.status, { 'content-type': 'application/json', 'retry-after': '1' });
      response.end(JSON.stringify(answer.body));
    });
  });
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => new Promise<unknown>((resolve) => server.close(resolve)));
  beforeEach(() => {
    calls = [];
    history = [];
    warnings = [];
    answer = { status: 200, body: { ok: true, channel: 'C1', ts: '1503435956.000247', message: {} } };
  });

  let warnings: object[];
  const slack = () => {
    const { port } = server.address() as AddressInfo;
    const logger = { warn: (...args: unknown[]) => void warnings.push(args) };
    return slackApi({ token: 'xoxb-1', url: `http://127.0.0.1:${String(port)}/api`, logger });
  };
  const post = (takes = 1, by = slack()) => by({ organisationId: 'org_1', channelId: 'C1' }, { ...letter, takes });

  it('is told of an organisation in the channels alone that are bound to it', async () => {
    const by = inOwnChannels({ org_1: ['C1'], org_2: ['C2'] }, slack());
    expect(await post(1, by)).toEqual({ outcome: 'SENT' });
    const refused = { outcome: 'GIVE_UP', reason: expect.stringContaining('SLACK_CHANNELS') };
    expect(await by({ organisationId: 'org_2', channelId: 'C1' }, letter)).toEqual(refused);
    expect(await by({ organisationId: 'constructor', channelId: 'C1' }, letter)).toEqual(refused);
    expect(calls).toHaveLength(1);
  });

  it('gets the message for the channel, in which nothing is a link or calls anybody', async () => {
    expect(await post()).toEqual({ outcome: 'SENT' });
    expect(calls).toMatchObject([
      {
        path: '/api/chat.postMessage',
        token: 'Bearer xoxb-1',
        body: { channel: 'C1', text: '*Wöchentlich: done*\nAll is well.\n.\nReally &lt;b&gt;.' },
      },
    ]);
  });

  const ours = { metadata: { event_type: 'platform_notification', event_payload: { id: letter.id } } };
  const others = [{}, { metadata: { event_type: 'platform_notification', event_payload: { id: 'another' } } }];

  it('shows no message twice whose first posting nobody has heard of', async () => {
    await post();
    expect(calls[0]?.body).toMatchObject(ours);
    history = [
      { ok: true, messages: others, response_metadata: { next_cursor: 'more' } },
      { ok: true, messages: [...others, ours] },
    ];
    expect(await post(2)).toEqual({ outcome: 'SENT' });
    const asked = calls.slice(1).map(({ path = '' }) => new URL(path, 'http://slack').searchParams);
    expect(asked.map((query) => [query.get('channel'), query.get('cursor'), query.get('oldest')])).toEqual([
      ['C1', '', '1782907140'],
      ['C1', 'more', '1782907140'],
    ]);
  });

  it.each([
    ['is not there', { ok: true, messages: others }],
    ['cannot be looked for', { ok: false, error: 'missing_scope' }],
  ])('gets a message again that %s', async (_, page) => {
    history = [page];
    expect(await post(2)).toEqual({ outcome: 'SENT' });
    expect(calls.map(({ path }) => path?.replace(/\?.*/, ''))).toEqual([
      '/api/conversations.history',
      '/api/chat.postMessage',
    ]);
  });

  it('gets messages by a token that may not look for them, of which the log tells once', async () => {
    const by = slack();
    history = ['missing_scope', 'missing_scope', 'not_in_channel'].map((error) => ({ ok: false, error }));
    expect(await post(1, by)).toEqual({ outcome: 'SENT' });
    expect(warnings).toEqual([]);
    for (const takes of [2, 3, 2]) expect(await post(takes, by)).toEqual({ outcome: 'SENT' });
    expect(calls.filter(({ path }) => path === '/api/chat.postMessage')).toHaveLength(4);
    expect(warnings).toEqual([
      [
        { event: 'slack.scope_missing', channel: 'C1', error: 'missing_scope' },
        expect.stringContaining('channels:history'),
      ],
    ]);
  });

  it('is asked later for a message that may be there while it is busy', async () => {
    history = [{ ok: false, error: 'ratelimited' }];
    expect(await post(2)).toMatchObject({ outcome: 'RETRY' });
    expect(calls).toHaveLength(1);
  });

  it('is asked again when it is busy, and not when channel or token are wrong', async () => {
    answer = { status: 429, body: { ok: false, error: 'ratelimited' } };
    expect(await post()).toEqual({ outcome: 'RETRY', reason: 'Slack answered 429' });
    answer = { status: 200, body: { ok: false, error: 'internal_error' } };
    expect(await post()).toMatchObject({ outcome: 'RETRY' });
    answer = { status: 200, body: { ok: false, error: 'channel_not_found' } };
    expect(await post()).toEqual({ outcome: 'GIVE_UP', reason: 'Slack refused it: channel_not_found' });
  });
});
