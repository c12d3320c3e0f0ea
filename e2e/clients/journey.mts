/** What each client is to do, and what it says of it. */
export interface Journey {
  /** Who it is. */
  readonly name: string;
  /** Of a document that there is not: the code in the body. */
  readonly refusal: string | undefined;
  /** How many bytes of its upload have come. */
  readonly uploadedBytes: number | undefined;
  /** Of the stream: the kinds of its events in order, and what was written in all. */
  readonly events: readonly string[];
  readonly text: string;
}

const { PLATFORM_URL, TOKEN } = process.env;
export const baseUrl = PLATFORM_URL ?? '';
export const token = TOKEN ?? '';

export const question = { assistant_name: 'general', new_message: 'How many days of holidays?' };
export const unknownDocument = { document_id: '0199c0de-0000-7000-8000-000000000001' };
export const file = new File(['Everybody has thirty days of holidays.'], 'holidays.txt', { type: 'text/plain' });

export const tell = (journey: Journey): void => void process.stdout.write(JSON.stringify(journey));

/** The events of a stream, for clients whose generator leaves that to their users. */
export async function* eventsOf<Data>(body: ReadableStream<Uint8Array>): AsyncGenerator<{ kind: string; data: Data }> {
  let rest = '';
  for await (const text of body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)) {
    const blocks = (rest + text).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const lines = new Map(block.split('\n').map((line) => line.split(/: (.*)/s) as [string, string]));
      const data = lines.get('data');
      if (data !== undefined) yield { kind: lines.get('event') ?? '', data: JSON.parse(data) as Data };
    }
  }
}
