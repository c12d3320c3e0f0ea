import { DEFAULT_ERROR_TEXT, isDeclaredError, type ErrorKind } from '@platform-backend/core';
import { httpErrors } from '@platform-backend/gateway/errors';
import { httpStatusOf } from '@platform-backend/grpc';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { repository } from './repository-programs.ts';

/** An error as its `errors.ts` declares it. */
export interface ListedError {
  /** `apps/billing/src/credits/domain/errors.ts` */
  readonly file: string;
  readonly status: number;
  readonly code: string;
  readonly text: string;
}

/** What the files declare: of an area `domain/errors.ts`, of the gateway and of a library `src/errors.ts`. */
export async function declaredErrors(files: readonly string[]): Promise<ListedError[]> {
  const listed = files.filter(isErrorsFile).map(async (file) => {
    const declared = (await import(pathToFileURL(join(repository, file)).href)) as Readonly<Record<string, unknown>>;
    return Object.values(declared)
      .filter(isDeclaredError)
      .map(({ kind, code, text }) => ({ file, status: httpStatusOf(kind), code, text }));
  });
  const ofHttp = Object.values(httpErrors).map(([status, code, text]) => ({ file: GATEWAY, status, code, text }));
  return [...(await Promise.all(listed)).flat(), ...ofHttp];
}

const GATEWAY = 'apps/gateway/src/errors.ts';

/** embedded-mongo has errors as well, those of MongoDB. */
const isErrorsFile = (path: string): boolean =>
  /^apps\/[\w-]+\/src\/([\w-]+\/domain\/)?errors\.ts$|^libs\/[\w-]+\/src\/errors\.ts$/.test(path);

/** A code that is thrown beside `errors.ts`: `conflict('name_taken', …)`. */
const UNDECLARED =
  /\b(?:conflict|malformed|notProvided|notFound|forbidden|unauthenticated|paymentRequired|tooLarge|unsupportedMedia)\((?=\s*['"`])|\bnew DomainError\(\{[^}]*\bcode: '/g;

/** Where a file makes errors that it does not declare, each with what begins it. */
export const undeclaredErrors = (path: string): string[] =>
  isErrorsFile(path)
    ? []
    : [...readFileSync(join(repository, path), 'utf8').matchAll(UNDECLARED)].map(([call]) => `${path}: ${call}`);

/** docs/errors.md. */
export function errorsPage(errors: readonly ListedError[]): string {
  const owners = [...new Set(errors.map(ownerOf))].sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));
  return [
    `# Errors

<!-- Written by \`npm run generate:errors\` from \`errors.ts\` of each area; do not edit it. -->

What is refused says so with a status, with a sentence for people and with a code for programs, in the header
\`X-Error-Code\` ([D20](specification/decisions.md)). A code stays what it is; the sentence may be put better. \`{max}\` stands for a value.

## Of every operation

Where nothing more exact is known, the code is the kind of the error. A broken rule of a field is \`validation_failed\` with the
status 422 (400 to clients of OpenAI), and names the field.

| Status | Code | Text |
| ------ | ---- | ---- |`,
    ...(Object.keys(DEFAULT_ERROR_TEXT) as ErrorKind[])
      .filter((kind) => kind !== 'invalid')
      .map((kind) => ({ status: httpStatusOf(kind), code: kind, text: DEFAULT_ERROR_TEXT[kind] }))
      .sort((a, b) => a.status - b.status)
      .map(({ status, code, text }) => `| ${status} | \`${code}\` | ${text} |`),
    ...owners.flatMap((owner) => [
      '',
      `## ${titleOf(owner)}`,
      '',
      '| Status | Code | Text | Area |',
      '| ------ | ---- | ---- | ---- |',
      ...errors
        .filter((error) => ownerOf(error) === owner)
        .sort((a, b) => a.code.localeCompare(b.code) || a.status - b.status || a.text.localeCompare(b.text))
        .map(({ file, status, code, text }) => `| ${status} | \`${code}\` | ${shown(text)} | ${areaOf(file)} |`),
    ]),
    '',
  ].join('\n');
}

const LIBRARIES = 'libraries';

const ownerOf = ({ file }: ListedError): string =>
  file.startsWith('libs/') ? LIBRARIES : (file.split('/')[1] ?? LIBRARIES);

const rank = (owner: string): number => (owner === LIBRARIES ? 0 : owner === 'gateway' ? 1 : 2);

const titleOf = (owner: string): string => (owner === LIBRARIES ? 'Of the libraries, in every service' : `Of ${owner}`);

/** `credits`; of a library its name; the gateway has none. */
function areaOf(file: string): string {
  const [kind, name = '', , area = ''] = file.split('/');
  if (kind === 'libs') return name;
  return area === 'errors.ts' ? '' : area;
}

const shown = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '\\<');
