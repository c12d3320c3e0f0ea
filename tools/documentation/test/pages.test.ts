import { beforeAll, describe, expect, it } from '@jest/globals';
import { openApi } from '@platform-backend/contract/http';
import { loadPlatformContract } from '@platform-backend/contracts';
import { DEFAULT_ERROR_TEXT, type ErrorKind } from '@platform-backend/core';
import { httpStatusOf } from '@platform-backend/grpc';
import { missingPrograms } from '@platform-backend/system-programs';
import { describeWhere, itWhere } from '@platform-backend/testing/where';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import type { Programs } from '../src/configuration-page.ts';
import { configurationPage, undescribed } from '../src/configuration-page.ts';
import { declaredErrors, errorsPage, undeclaredErrors, type ListedError } from '../src/errors-page.ts';
import { loggedEvents, namedEvents } from '../src/logged-events.ts';
import { headings, namedPaths, pathPattern, relativeLinks, wordCount } from '../src/markdown.ts';
import { repositoryFiles } from '../src/repository-files.ts';
import { repository, repositoryPrograms } from '../src/repository-programs.ts';
import { retiredNamesIn, retiredWords } from '../src/retired-words.ts';

const read = (path: string): string => readFileSync(join(repository, path), 'utf8');

const lack = missingPrograms('git');
const files = lack === undefined ? repositoryFiles() : [];
const pages = files.filter((path) => path.endsWith('.md'));

const folders = new Set(
  files.flatMap((path) => {
    const parts = path.split('/');
    return parts.slice(1).map((_, depth) => parts.slice(0, depth + 1).join('/'));
  }),
);

const foldersIn = (parent: string): string[] => [
  ...new Set(
    files.flatMap((path) => {
      const [name, ...rest] = path.startsWith(parent) ? path.slice(parent.length).split('/') : [];
      return name !== undefined && rest.length > 0 ? [name] : [];
    }),
  ),
];

describe('the README', () => {
  const readme = read('README.md');

  it('has 1,200 words at most', () => {
    expect(wordCount(readme)).toBeLessThanOrEqual(1_200);
  });

  itWhere(lack, 'names every folder, and none that is not there', () => {
    const named = [...readme.matchAll(/`([\w-][\w./-]*)\/`|\]\(([\w./-]+)\/README\.md\)/g)].map(
      ([, map, link]) => map ?? link ?? '',
    );
    const there = [
      ...foldersIn(''),
      ...['apps', 'libs', 'tools', 'protos'].flatMap((parent) =>
        foldersIn(`${parent}/`).map((name) => `${parent}/${name}`),
      ),
    ];
    // Those of tools, such as .vscode, are known by their names.
    expect(there.filter((path) => !path.startsWith('.') && !named.includes(path))).toEqual([]);
    expect(named.filter((path) => !existsSync(join(repository, path)))).toEqual([]);
  });
});

describeWhere(lack, 'the pages', () => {
  it.each(pages)('%s links to what there is', (page) => {
    const astray = relativeLinks(read(page)).filter(({ path, heading }) => {
      const target = path === '' ? page : normalize(join(dirname(page), path));
      if (!existsSync(join(repository, target))) return true;
      return heading !== undefined && target.endsWith('.md') && !headings(read(target)).has(heading);
    });
    expect(astray).toEqual([]);
  });

  it('stand in docs/README.md, or in the list of their folder that stands there', () => {
    const linkedFrom = (index: string) =>
      relativeLinks(read(index)).map(({ path }) => normalize(join(dirname(index), path)));
    const lists = ['docs/README.md', 'docs/decisions/README.md', 'docs/specification/README.md'];
    const linked = new Set([...lists, ...lists.flatMap(linkedFrom)]);
    expect(pages.filter((page) => page.startsWith('docs/') && !linked.has(page))).toEqual([]);
    for (const list of lists.slice(1)) expect(linkedFrom('docs/README.md')).toContain(list);
  });
});

interface Name {
  readonly path: string;
  readonly name: string;
}

/** Names that are retired and still there. */
interface SparedNames {
  readonly within: RegExp;
  readonly names: RegExp;
}

const SPARED: readonly SparedNames[] = [
  // Fields of documents as they are stored, and of released messages: they are expanded before they are contracted.
  { within: /^apps\/content\/src\/documents\/(store|test)\//, names: /^(workAt|lookAt|workOf)$/ },
  { within: /^apps\/billing\/(src\/subscriptions\/clients|test\/simulator)\//, names: /^mostActiveMembers$/ },
  { within: /^libs\/testing\/src\/wait-for\.ts$/, names: /^(LONGEST|SHORTEST)_PAUSE_MS$/ },
  // The index of a step and of a location: a column, messages of a queue, and what pods are told and tell.
  { within: /^apps\/pipelines\/src\/runs\/(argo|embedded|store|test)\//, names: /^places?$/ },
  { within: /^apps\/pipelines\/src\/step-engine\/(domain|pod)\//, names: /^places?$/ },
];

describeWhere(lack, 'the pages of what there is now', () => {
  const present = pages.filter((page) => /^(README|CONTRIBUTING|docs\/[^/]+|apps\/[^/]+\/README)\.md$/.test(page));
  const roots = new Set(foldersIn(''));
  const paths = [...files, ...folders];
  /** What files were called before is history: of that section the names of now count, in the last column of its table. */
  const withoutFormerNames = (text: string) =>
    text.replace(/^## Where files came from\n[^]*?(?=^## |$(?![^]))/m, (section) =>
      [...section.matchAll(/^\|.*\|([^|]*)\|$/gm)].map(([, now]) => now).join('\n'),
    );

  it.each(present)('%s names files and folders that there are', (page) => {
    // What a service says of its files is about its own, unless it says whose they are.
    const own = page.startsWith('apps/') ? `${dirname(page)}/` : '';
    const isThere = (named: string) => {
      const pattern = pathPattern(named);
      const within = roots.has(named.split('/')[0] ?? '') && named.includes('/') ? '' : own;
      return paths.some((path) => path.startsWith(within) && pattern.test(path));
    };
    expect(namedPaths(withoutFormerNames(read(page)), roots).filter((named) => !isThere(named))).toEqual([]);
  });

  const services = foldersIn('apps/');
  it.each(services)('apps/%s/README.md names every folder of its source', (service) => {
    const readme = read(`apps/${service}/README.md`);
    const lacking = foldersIn(`apps/${service}/src/`).filter((folder) => !readme.includes(`src/${folder}/`));
    expect(lacking).toEqual([]);
  });
});

describeWhere(lack, 'docs/glossary.md', () => {
  const retired = retiredWords(read('docs/glossary.md'));
  // What is generated, or has been released, keeps its names.
  const source = files.filter((path) => /\.m?ts$|\.mjs$/.test(path) && !/\/(generated|migrations)\//.test(path));

  it('retires more than twenty words', () => {
    expect(retired.length).toBeGreaterThan(20);
  });

  const found = source.flatMap((path) => retiredNamesIn(path, read(path), retired).map((name) => ({ path, name })));
  const isSpared = ({ path, name }: Name, { within, names }: SparedNames) => within.test(path) && names.test(name);

  it('is kept: no name in the source is a word that it retires', () => {
    expect(found.filter((one) => !SPARED.some((spared) => isSpared(one, spared)))).toEqual([]);
  });

  it.each(SPARED)('spares $names only while there are some in $within', (spared) => {
    expect(found.some((one) => isSpared(one, spared))).toBe(true);
  });
});

describeWhere(lack, 'docs/operations.md', () => {
  const [, section = ''] = /^## Logs and traces\n([^]*?)^## /m.exec(read('docs/operations.md')) ?? [];
  const [errors = '', warnings = ''] = [...section.matchAll(/(?:^\|.*\n)+/gm)].map(([table]) => table);
  const source = files.filter(
    (path) => /^(apps|libs|deploy)\/.*\.ts$/.test(path) && !/\.test\.ts$|\/test\//.test(path),
  );
  const logged = (...levels: string[]) => new Set(source.flatMap((path) => loggedEvents(read(path), levels)));
  /** What a table names in its first column, which are events and nothing else. */
  const listed = (table: string) => namedEvents(table.replaceAll(/^\|([^|]*)\|.*$/gm, '$1')).sort();

  it('says of every error that is logged what happened, and of none that is not', () => {
    expect(listed(errors)).toEqual([...logged('error', 'fatal')].sort());
  });

  it('says of every warning that is logged what it means, and of none that is not', () => {
    expect(listed(warnings)).toEqual([...logged('warn')].sort());
  });
});

/** `409 client_group_archived` of every operation that says so. */
function codesInOpenApi(): string[] {
  interface Answer {
    readonly $ref?: string;
    readonly headers?: { readonly 'X-Error-Code'?: { readonly schema: Readonly<Record<string, readonly string[]>> } };
  }
  const { paths, components } = openApi(loadPlatformContract()) as unknown as {
    paths: Record<string, Record<string, { responses: Record<string, Answer> }>>;
    components: { responses: Record<string, Answer> };
  };
  return Object.values(paths)
    .flatMap((item) => Object.values(item))
    .flatMap(({ responses }) => Object.entries(responses))
    .flatMap(([status, answer]) => {
      const { headers } = answer.$ref === undefined ? answer : (components.responses[basename(answer.$ref)] ?? {});
      const { schema = {} } = headers?.['X-Error-Code'] ?? {};
      return (schema['enum'] ?? schema['examples'] ?? []).map((code) => `${status} ${code}`);
    });
}

describeWhere(lack, 'docs/errors.md', () => {
  let errors: readonly ListedError[];
  beforeAll(async () => {
    errors = await declaredErrors(files);
  });
  const codesOf = (list: readonly ListedError[]) => list.map(({ status, code }) => `${status} ${code}`);
  const isKind = ({ code }: ListedError) => Object.hasOwn(DEFAULT_ERROR_TEXT, code);
  const ownerOf = ({ file }: ListedError) => file.split('/').slice(0, 2).join('/');

  it('is what `npm run generate:errors` writes', () => {
    expect(read('docs/errors.md')).toBe(errorsPage(errors));
  });

  it('has every error: none is made beside the errors.ts of its area', () => {
    const source = files.filter(
      (path) =>
        /^(apps|libs)\/[\w-]+\/src\/.*\.ts$/.test(path) &&
        !/\.test\.ts$|\/test\/|^libs\/core\/src\/domain-error\.ts$/.test(path),
    );
    expect(source.flatMap(undeclaredErrors)).toEqual([]);
  });

  it('has every code that the interface lists for an operation, with its status', () => {
    const kinds = (Object.keys(DEFAULT_ERROR_TEXT) as ErrorKind[]).map((kind) => `${httpStatusOf(kind)} ${kind}`);
    const known = new Set([...codesOf(errors), ...kinds, '422 validation_failed', '400 validation_failed']);
    const listed = new Set(codesInOpenApi());
    expect(listed.size).toBeGreaterThan(150);
    expect([...listed].filter((code) => !known.has(code))).toEqual([]);
  });

  it('has one declaration of each code in a service, unless the code says no more than the kind', () => {
    const codes = errors.filter((error) => !isKind(error)).map((error) => `${ownerOf(error)}: ${error.code}`);
    expect(codes.filter((code, at) => codes.indexOf(code) !== at)).toEqual([]);
  });

  it('has one code for one meaning in a service: no two say the same', () => {
    const standard = new Set(Object.values(DEFAULT_ERROR_TEXT));
    const texts = errors.filter(({ text }) => !standard.has(text)).map((error) => `${ownerOf(error)}: ${error.text}`);
    expect(texts.filter((text, at) => texts.indexOf(text) !== at)).toEqual([]);
  });

  it('has one meaning of each code in all services: the same status and text', () => {
    const exact = errors.filter((error) => !isKind(error));
    const differing = exact.filter(({ code, status, text }) =>
      exact.some((other) => other.code === code && (other.status !== status || other.text !== text)),
    );
    expect(codesOf(differing)).toEqual([]);
  });
});

describe('docs/configuration.md', () => {
  let programs: Programs;
  beforeAll(async () => {
    programs = await repositoryPrograms();
  });

  it('lacks no description: each stands beside its setting', () => {
    expect(undescribed(programs)).toEqual([]);
  });

  it('is what `npm run generate:configuration` writes', () => {
    expect(read('docs/configuration.md')).toBe(configurationPage(programs));
  });

  it('has every variable that the configuration of the gateway names', () => {
    const named = [...read('apps/gateway/config/gateway.config.yml').matchAll(/\$\{(\w+)/g)].map(([, name]) => name);
    const gateway = programs.processes.find(({ name }) => name === 'gateway');
    expect(Object.keys(gateway?.variables ?? {})).toEqual(expect.arrayContaining(named));
  });
});
