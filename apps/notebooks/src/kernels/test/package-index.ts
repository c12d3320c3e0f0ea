import { zipArchive } from '@platform-backend/testing';
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sha256Of } from '../providers/pyodide/wheels/resolve-packages.ts';

export interface Wheel {
  readonly name: string;
  readonly file: string;
  readonly bytes: Buffer;
  readonly requiresPython: string | undefined;
}

/** A wheel of one module of pure Python, as PEP 427 has it. */
export function wheelOf(
  name: string,
  version: string,
  module: string,
  requires: readonly string[] = [],
  requiresPython?: string,
): Wheel {
  const about = `${name}-${version}.dist-info`;
  const metadata = [
    ...['Metadata-Version: 2.1', `Name: ${name}`, `Version: ${version}`],
    ...requires.map((one) => `Requires-Dist: ${one}`),
    ...(requiresPython === undefined ? [] : [`Requires-Python: ${requiresPython}`]),
    ...['', 'Requires-Dist: no-field-but-a-description', ''],
  ];
  const files = [
    { name: `${name}.py`, content: module },
    { name: `${about}/METADATA`, content: metadata.join('\n') },
    { name: `${about}/WHEEL`, content: 'Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n' },
  ];
  const digest = (content: string) => createHash('sha256').update(content).digest('base64url');
  const lines = files.map((file) => `${file.name},sha256=${digest(file.content)},${file.content.length}`);
  return {
    name,
    file: `${name}-${version}-py3-none-any.whl`,
    bytes: zipArchive([...files, { name: `${about}/RECORD`, content: [...lines, `${about}/RECORD,,\n`].join('\n') }]),
    requiresPython,
  };
}

/** An index of packages as PEP 503 and PEP 691 have it, here. */
export async function packageIndex() {
  const offered: { readonly wheel: Wheel; readonly sha256: string; readonly asHtml: boolean }[] = [];
  let requests = 0;
  let authorization: string | undefined;
  let isSilent = false;
  const server = createServer((request, response) => {
    requests += 1;
    if (authorization !== undefined && request.headers.authorization !== authorization)
      return response.writeHead(401).end();
    if (isSilent) return undefined;
    const path = decodeURIComponent(request.url ?? '');
    const file = offered.find(({ wheel }) => path === `/files/${wheel.file}`);
    if (file) return response.end(file.wheel.bytes);
    const listed = offered.filter(({ wheel }) => path === `/simple/${wheel.name.replaceAll('_', '-')}/`);
    if (listed.length === 0) return response.writeHead(404).end();
    if (listed.some(({ asHtml }) => asHtml)) {
      const anchors = listed.map(
        ({ wheel, sha256 }) => `<a href="/files/${wheel.file}#sha256=${sha256}">${wheel.file}</a>`,
      );
      return response.setHeader('content-type', 'text/html').end(`<!DOCTYPE html><html>${anchors.join('\n')}</html>`);
    }
    const files = listed.map(({ wheel, sha256 }) => ({
      ...{ filename: wheel.file, url: `../../files/${wheel.file}`, hashes: { sha256 }, yanked: false },
      ...(wheel.requiresPython !== undefined && { 'requires-python': wheel.requiresPython }),
    }));
    return response
      .setHeader('content-type', 'application/vnd.pypi.simple.v1+json')
      .end(JSON.stringify({ meta: { 'api-version': '1.0' }, files }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/simple/`,
    get requests() {
      return requests;
    },
    /** `sha256`: what the index says of it, whatever it is. */
    offer(wheel: Wheel, { asHtml = false, sha256 = sha256Of(wheel.bytes) } = {}): void {
      offered.push({ wheel, sha256, asHtml });
    },
    /** From now on. */
    requireAuthorization(wanted: string): void {
      authorization = wanted;
    },
    /** From now on it takes requests and answers none. */
    fallSilent(): void {
      isSilent = true;
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
