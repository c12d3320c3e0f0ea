import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What VIES says of a VAT ID. `away`: the register of that member state cannot be reached, which VIES tells with status 200. */
export type ViesAnswer = 'registered' | 'unknown' | 'away';

export type ViesDouble = Awaited<ReturnType<typeof startViesDouble>>;

/** VIES as its HTTP interface is described (`check-vat-number`): every VAT ID is registered unless a test says otherwise. */
export async function startViesDouble() {
  const answers = new Map<string, ViesAnswer>();
  const asked: Record<string, string>[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      response.setHeader('Content-Type', 'application/json');
      if (request.method !== 'POST' || request.url !== '/rest-api/check-vat-number') {
        response.statusCode = 404;
        response.end('{}');
        return;
      }
      const question = JSON.parse(Buffer.concat(parts).toString()) as Record<string, string>;
      asked.push(question);
      const { countryCode = '', vatNumber = '', requesterNumber } = question;
      const answer = answers.get(countryCode + vatNumber) ?? 'registered';
      if (answer === 'away') {
        response.end(JSON.stringify({ actionSucceed: false, errorWrappers: [{ error: 'MS_UNAVAILABLE' }] }));
        return;
      }
      response.end(
        JSON.stringify({
          ...{ countryCode, vatNumber, requestDate: '2026-04-01T12:00:00.000Z', valid: answer === 'registered' },
          // It gives a number to those alone who say who they are.
          requestIdentifier: requesterNumber === undefined ? '' : `WAPI${asked.length}`,
          ...{ name: '---', address: '---' },
        }),
      );
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/rest-api`,
    asked,
    /** From now on, with the prefix: `FR40303265045`. */
    says: (vatId: string, answer: ViesAnswer) => void answers.set(vatId, answer),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
