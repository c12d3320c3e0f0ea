import { baseUrl, eventsOf, token } from './journey.mts';

interface Options extends RequestInit {
  /** Of a stream: told of each event. */
  onEvent?: (kind: string, data: { readonly text?: string }) => void;
}

/** Sends the requests of the client that orval makes. What a stream answers is the data of its last event. */
export async function send<Answer>(path: string, { onEvent, ...init }: Options): Promise<Answer> {
  const headers = new Headers(init.headers);
  headers.set('authorization', `Bearer ${token}`);
  const answer = await fetch(baseUrl + path, { ...init, headers });
  return { status: answer.status, headers: answer.headers, data: await dataOf(answer, onEvent) } as Answer;
}

async function dataOf(answer: Response, onEvent: Options['onEvent']): Promise<unknown> {
  if (answer.headers.get('content-type') !== 'text/event-stream' || !answer.body) return await answer.json();
  let last: unknown;
  for await (const { kind, data } of eventsOf<{ text?: string }>(answer.body)) {
    onEvent?.(kind, data);
    last = data;
  }
  return last;
}
