import type { Caller } from '@platform-backend/auth';
import type { JupyterServiceClient, OpenChannelsRequestInput } from '@platform-backend/contract-notebooks';
import { newId } from '@platform-backend/core';
import type { CallOptions } from '@platform-backend/grpc';

/** A message as a client reads it. */
export interface Heard {
  readonly channel: string;
  readonly type: string;
  readonly parent: string | undefined;
  readonly content: Record<string, unknown>;
}

/** A client of a kernel's channels that speaks JSON, as one without a subprotocol. */
export async function connectTo(
  jupyter: JupyterServiceClient<CallOptions>,
  kernelId: string,
  by: { readonly caller: Caller },
  sessionId: string = newId(),
) {
  const waiting: OpenChannelsRequestInput[] = [{ kernelId, sessionId }];
  let wake = Promise.withResolvers<undefined>();
  let isOver = false;
  const requests = async function* (): AsyncGenerator<OpenChannelsRequestInput> {
    while (!isOver) {
      const next = waiting.shift();
      if (next) yield next;
      else {
        await wake.promise;
        wake = Promise.withResolvers();
      }
    }
  };
  const heard: Heard[] = [];
  const answers = jupyter.openChannels(requests(), by)[Symbol.asyncIterator]();
  const first = await answers.next();
  const closed = (async () => {
    try {
      for (let next = await answers.next(); !next.done; next = await answers.next()) {
        const text = (next.value.frame as { text?: string } | null)?.text;
        if (text !== undefined) heard.push(heardIn(text));
      }
      return undefined;
    } catch (error) {
      return error;
    }
  })();
  return {
    protocol: first.done ? '' : first.value.protocol,
    heard,
    closed,
    ask(type: string, content: object, channel = 'shell'): string {
      const id = newId();
      const header = { msg_id: id, msg_type: type, session: sessionId, username: '', date: '', version: '5.3' };
      const message = { channel, header, parent_header: {}, metadata: {}, content, buffers: [] };
      waiting.push({ frame: { text: JSON.stringify(message) } });
      wake.resolve(undefined);
      return id;
    },
    raw(frame: { text?: string; binary?: Uint8Array }): void {
      waiting.push({ frame });
      wake.resolve(undefined);
    },
    leave(): void {
      isOver = true;
      wake.resolve(undefined);
    },
  };
}

function heardIn(text: string): Heard {
  const {
    channel,
    header,
    parent_header: parent,
    content,
  } = JSON.parse(text) as {
    channel: string;
    header: { msg_type: string };
    parent_header: { msg_id?: string };
    content: Record<string, unknown>;
  };
  return { channel, type: header.msg_type, parent: parent.msg_id, content };
}
