import { describe, expect, it } from '@jest/globals';
import { checkFile } from './rules.ts';
import { parseSourceFile } from './source-file.ts';
import type { Project, ProjectKind, Workspace } from './workspace.ts';

const workspace: Workspace = {
  projects: [
    project(
      'apps/shop',
      '@platform-backend/shop',
      'app',
      ['@platform-backend/core', '@platform-backend/grpc', '@platform-backend/contract-shop', 'knex'],
      ['@platform-backend/testing'],
    ),
    { ...project('apps/bank', '@platform-backend/bank', 'app'), areas: ['prices', 'loans'] },
    project('apps/gateway', '@platform-backend/gateway', 'app', ['express-gateway', '@platform-backend/events']),
    project('libs/core', '@platform-backend/core', 'lib'),
    project('libs/grpc', '@platform-backend/grpc', 'lib', [
      '@platform-backend/core',
      '@platform-backend/bank',
      '@platform-backend/dev',
    ]),
    project('libs/events', '@platform-backend/events', 'lib', ['nats', '@nats-io/jetstream']),
    project('libs/testing', '@platform-backend/testing', 'lib'),
    project('tools/dev', '@platform-backend/dev', 'tool', ['@platform-backend/shop', '@platform-backend/core'], []),
  ],
  sharedDevDependencies: new Set(['@jest/globals']),
};

function project(
  directory: string,
  name: string,
  kind: ProjectKind,
  dependencies: string[] = [],
  devDependencies: string[] = [],
): Project {
  return { directory, name, kind, dependencies: new Set(dependencies), devDependencies: new Set(devDependencies) };
}

const messages = (path: string, text: string): string[] =>
  checkFile(parseSourceFile(path, text), workspace).map(({ message }) => message);

describe('borders between projects', () => {
  it.each([
    ['an app by its name', `import { x } from '@platform-backend/bank';`],
    ['an app for its types', `import type { X } from '@platform-backend/bank';`],
    ['an app inside a type', `export type X = import('@platform-backend/bank').X;`],
    ['an app at run time', `await import('@platform-backend/bank');`],
    ['an app by require', `const bank = require('@platform-backend/bank');`],
    ['a part of an app', `export * from '@platform-backend/bank/src/accounts.ts';`],
  ])('an app may not import %s', (_what, text) => {
    expect(messages('apps/shop/src/main.ts', text)).toContain(
      'imports @platform-backend/bank: apps may not build on apps',
    );
  });

  it('a library may not import an app or a tool, even if it declares them', () => {
    expect(messages('libs/grpc/src/index.ts', `import '@platform-backend/bank';`)).toEqual([
      'imports @platform-backend/bank: libraries may not build on apps',
    ]);
    expect(messages('libs/grpc/src/index.ts', `import '@platform-backend/dev';`)).toEqual([
      'imports @platform-backend/dev: libraries may not build on tools',
    ]);
  });

  it('another project is never reached by a path', () => {
    expect(messages('apps/shop/src/main.ts', `import '../../bank/src/accounts.ts';`)).toEqual([
      'imports ../../bank/src/accounts.ts of apps/bank: another project is imported by its name, @platform-backend/bank',
    ]);
    expect(messages('apps/shop/test/a.test.ts', `jest.mock('../../../libs/core/src/index.ts');`)).toHaveLength(1);
  });

  it('nothing outside the projects is reached by a path', () => {
    expect(messages('apps/shop/src/main.ts', `import '../../../secret.ts';`)).toHaveLength(1);
  });

  it('every package is declared by the project that imports it', () => {
    expect(messages('apps/shop/src/main.ts', `import pg from 'pg';`)).toEqual([
      'imports pg, which apps/shop/package.json does not declare',
    ]);
  });

  it('development packages are for tests', () => {
    const text = `import { throwawayPostgres } from '@platform-backend/testing';`;
    expect(messages('apps/shop/src/main.ts', text)).toEqual([
      'imports @platform-backend/testing, which is in apps/shop/package.json for development only',
    ]);
    expect(messages('apps/shop/src/domain/orders.test.ts', text)).toEqual([]);
    expect(messages('apps/shop/test/orders.test.ts', `import { it } from '@jest/globals';`)).toEqual([]);
  });

  it('NATS is used by libs/events alone, mongoose by libs/mongo and express-gateway by the gateway', () => {
    const nats = `import { jetstream } from '@nats-io/jetstream';`;
    expect(messages('libs/events/src/bus.ts', nats)).toEqual([]);
    expect(messages('apps/shop/src/main.ts', nats)).toContain(
      'imports @nats-io/jetstream, which only libs/events may use',
    );
    expect(messages('apps/shop/src/main.ts', `import 'nats';`)).toContain(
      'imports nats, which only libs/events may use',
    );
    expect(messages('apps/gateway/src/main.ts', `import 'express-gateway';`)).toEqual([]);
    expect(messages('apps/shop/src/main.ts', `import 'express-gateway';`)).toContain(
      'imports express-gateway, which only apps/gateway may use',
    );
    expect(messages('apps/shop/src/main.ts', `import { Schema } from 'mongoose';`)).toContain(
      'imports mongoose, which only libs/mongo may use',
    );
  });

  it('no violation is reported of an import that is allowed', () => {
    const text = `import fs from 'node:fs'; import { x } from '@platform-backend/core'; import knex from 'knex'; import './areas.ts';`;
    expect(messages('apps/shop/src/main.ts', text)).toEqual([]);
    expect(messages('tools/dev/src/start.ts', `import '@platform-backend/shop';`)).toEqual([]);
  });

  it('text and comments are not taken for imports', () => {
    const text = `// import '@platform-backend/bank'\nconst text = "import '@platform-backend/bank'";`;
    expect(messages('apps/shop/src/main.ts', text)).toEqual([]);
  });

  it('a violation is reported with its line', () => {
    const file = parseSourceFile('apps/shop/src/main.ts', `\n\nimport '@platform-backend/bank';`);
    expect(checkFile(file, workspace)[0]?.line).toBe(3);
  });
});

describe('layers of a service', () => {
  it.each([
    ['domain', 'app'],
    ['domain', 'store'],
    ['app', 'api'],
    ['app', 'store'],
    ['app', 'reactions'],
    ['api', 'store'],
    ['store', 'api'],
    ['reactions', 'api'],
    ['providers', 'store'],
    ['app', 'providers'],
  ])('%s may not import %s', (from, to) => {
    expect(messages(`apps/shop/src/${from}/a.ts`, `import '../${to}/b.ts';`)).toEqual([
      `imports src/${to}/b.ts: ${from} may import only what lies further inside`,
    ]);
  });

  it.each([
    ['api', 'app'],
    ['reactions', 'app'],
    ['store', 'domain'],
    ['store', 'app'],
    ['providers', 'domain'],
    ['providers', 'providers'],
    ['app', 'domain'],
    ['domain', 'domain'],
  ])('%s may import %s', (from, to) => {
    expect(messages(`apps/shop/src/${from}/orders/a.ts`, `import '../../${to}/orders/b.ts';`)).toEqual([]);
  });

  it('no layer may import what puts the service together', () => {
    expect(messages('apps/shop/src/api/a.ts', `import '../areas.ts';`)).toHaveLength(1);
    expect(messages('apps/shop/src/areas.ts', `import './store/a.ts'; import './api/b.ts';`)).toEqual([]);
  });

  it('beside the folders lie only programs, declaration and composition', () => {
    expect(messages('apps/shop/src/service.ts', '')).toEqual([]);
    expect(messages('apps/gateway/src/configuration.ts', '')).toEqual([]);
    expect(messages('apps/shop/src/order-settings.ts', '')).toEqual(['belongs into a layer of an area of areas.ts']);
  });

  it('tables are for the store, messages and calls for those who hear and make them', () => {
    const bank = project('apps/bank', '@platform-backend/bank', 'app', [
      '@platform-backend/postgres',
      '@platform-backend/contract',
    ]);
    const inBank = (path: string, text: string) =>
      checkFile(parseSourceFile(path, text), { ...workspace, projects: [bank] }).map(({ message }) => message);
    const sql = `import { openDatabase } from '@platform-backend/postgres';`;
    expect(inBank('apps/bank/src/store/a.ts', sql)).toEqual([]);
    expect(inBank('apps/bank/src/areas.ts', sql)).toEqual([]);
    expect(inBank('apps/bank/src/providers/cards/a.ts', sql)).toEqual([
      'imports @platform-backend/postgres: in a service it belongs to store',
    ]);
    const message = `import type { Account } from '@platform-backend/contract/bank';`;
    expect(inBank('apps/bank/src/api/a.ts', message)).toEqual([]);
    expect(inBank('apps/bank/src/app/a.ts', message)).toEqual([
      'imports @platform-backend/contract: app may use only @platform-backend/core',
    ]);
  });

  it('the domain uses no package but @platform-backend/core, and the payloads of its own events', () => {
    expect(messages('apps/shop/src/domain/a.ts', `import { newId } from '@platform-backend/core';`)).toEqual([]);
    expect(messages('apps/shop/src/domain/a.ts', `import '@platform-backend/grpc';`)).toEqual([
      'imports @platform-backend/grpc: domain may use only @platform-backend/core',
    ]);
    expect(messages('apps/shop/src/domain/a.ts', `import knex from 'knex';`)).toHaveLength(1);
    const contract = '@platform-backend/contract-shop';
    expect(messages('apps/shop/src/domain/a.ts', `import type { Sold } from '${contract}/events';`)).toEqual([]);
    expect(messages('apps/shop/src/domain/a.ts', `import type { Order } from '${contract}';`)).toHaveLength(1);
    expect(messages('apps/shop/src/domain/a.ts', `import { readFile } from 'node:fs/promises';`)).toHaveLength(1);
  });
});

describe('words of the business in libraries', () => {
  it.each([
    ['clientGroup', `export const clientGroup = 1;`],
    ['CLIENT_GROUPS', `export const CLIENT_GROUPS = 1;`],
    ['a text', `log('the client groups of');`],
    ['a template', 'log(`${n} invoices of ${who}`);'],
    ['a type', `export interface InvitationOptions {}`],
  ])('are found as %s', (_how, text) => {
    expect(messages('libs/core/src/a.ts', text)).toEqual([expect.stringContaining('libraries know no business')]);
  });

  it('are allowed in apps, in comments and in tests', () => {
    expect(messages('apps/shop/src/domain/a.ts', `export const invoice = 1;`)).toEqual([]);
    expect(messages('libs/core/src/a.ts', `/** "Client group not found" */ export const a = 1;`)).toEqual([]);
    expect(messages('libs/core/src/a.test.ts', `notFound('Client group');`)).toEqual([]);
  });
});

describe('borders between the areas of a service', () => {
  const loan = 'apps/bank/src/loans/store/loans-store.ts';

  it.each([
    ['the domain of one before it', '../../prices/domain/price.ts'],
    ['the same layer of one before it', '../../prices/store/price-rows.ts'],
    ['its own inner layers', '../app/loans.ts'],
    ['the events of the service', '../../events.ts'],
    ['what its layer has in common with that of other areas', '../../record-events.ts'],
  ])('a file of an area may import %s', (_what, specifier) => {
    expect(messages(loan, `import '${specifier}';`)).toEqual([]);
  });

  it.each([
    ['another layer of one before it', loan, '../../prices/app/prices.ts'],
    ['how one before it is put together', loan, '../../prices/area.ts'],
    ['an area behind it', 'apps/bank/src/prices/domain/price.ts', '../../loans/domain/loan.ts'],
    ['an area behind it, where it is put together', 'apps/bank/src/prices/area.ts', '../loans/area.ts'],
    ['an outer layer', 'apps/bank/src/loans/domain/loan.ts', '../app/loans.ts'],
    ['how its own area is put together', 'apps/bank/src/loans/api/loan-handlers.ts', '../area.ts'],
    ['what the service declares', loan, '../../service.ts'],
    ['what another layer of all areas has in common', loan, '../../created-within.ts'],
    ['what a layer around it has in common', 'apps/bank/src/loans/domain/loan.ts', '../../record-events.ts'],
  ])('it may not import %s', (_what, path, specifier) => {
    expect(messages(path, `import '${specifier}';`)).toHaveLength(1);
  });

  it('what puts an area together may import all of it, what the service declares, and how those before it are put together', () => {
    const text = `import './store/loans-store.ts'; import './api/loan-handlers.ts'; import '../prices/area.ts';`;
    expect(messages('apps/bank/src/loans/area.ts', text)).toEqual([]);
    expect(messages('apps/bank/src/loans/area.ts', `import type { BankContext } from '../service.ts';`)).toEqual([]);
    expect(messages('apps/bank/src/areas.ts', `import './loans/area.ts'; import './prices/area.ts';`)).toEqual([]);
  });

  it('a file lies in a layer of an area that areas.ts names, and is tested beside it', () => {
    expect(messages('apps/bank/src/store/loans-store.ts', '')).toHaveLength(1);
    expect(messages('apps/bank/src/loans/loans-store.ts', '')).toHaveLength(1);
    expect(messages('apps/bank/src/loans/settings.ts', '')).toEqual([]);
    expect(messages('apps/bank/src/loans/test/loans.test.ts', `import '../../prices/app/prices.ts';`)).toEqual([]);
  });
});
