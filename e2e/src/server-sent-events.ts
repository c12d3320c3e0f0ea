export type ServerSentEvent<Data> = { event: string; id: string; data: Data };

/** The events of a body that has come to its end, without its heartbeats. */
export const serverSentEvents = <Data>(text: string): ServerSentEvent<Data>[] =>
  text
    .split('\n\n')
    .filter((part) => part.includes('data: '))
    .map((part) => {
      const lines = new Map(
        part.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      );
      const data = JSON.parse(lines.get('data') ?? '{}') as Data;
      return { event: lines.get('event') ?? '', id: lines.get('id') ?? '', data };
    });
