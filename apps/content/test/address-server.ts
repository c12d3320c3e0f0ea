import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Answering = (request: IncomingMessage, response: ServerResponse) => void;

/** A server of files, which answers each path as it is told. */
export async function addressServer() {
  const answers = new Map<string, Answering>();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '', 'http://host').pathname;
    asked.push(path);
    const answer = answers.get(path);
    if (answer) answer(request, response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    /** The paths that were asked, in their order. */
    asked,
    url: (path: string): string => `http://${host}${path}`,
    answer: (path: string, answering: Answering): string => {
      answers.set(path, answering);
      return `http://${host}${path}`;
    },
    close: () => server.close().closeAllConnections(),
  };
}

export type AddressServer = Awaited<ReturnType<typeof addressServer>>;

/** The whole of it, with its length. */
export const saying =
  (content: string, headers: Readonly<Record<string, string>> = {}): Answering =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain', 'content-length': content.length, ...headers });
    response.end(content);
  };

/** Starts an answer, and ends it when it is told to. */
export function stalling(files: AddressServer, path: string) {
  const begun = Promise.withResolvers<string>();
  const going = Promise.withResolvers<string>();
  const url = files.answer(path, (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain', 'content-length': 10 });
    response.write('first');
    begun.resolve(path);
    void going.promise.then(() => response.end('other'));
  });
  return { url, begun: begun.promise, go: () => going.resolve(path) };
}
