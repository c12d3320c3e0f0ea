import { bookedWork, organisationsWithAccounts } from '@platform-backend/billing/booked-work';
import { service as billing } from '@platform-backend/billing/service';
import { pricedWork as pricedInContent } from '@platform-backend/content/priced-work';
import { service as content } from '@platform-backend/content/service';
import type { Configuration } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import { createMetrics } from '@platform-backend/core/metrics';
import { operatorEnvironment } from '@platform-backend/dev/operator-environment';
import { readSettings } from '@platform-backend/dev/settings';
import { pricedWork as pricedInNotebooks } from '@platform-backend/notebooks/priced-work';
import { service as notebooks } from '@platform-backend/notebooks/service';
import { pricedWork as pricedInPipelines } from '@platform-backend/pipelines/priced-work';
import { service as pipelines } from '@platform-backend/pipelines/service';
import type { Service } from '@platform-backend/service';
import { declaredServices } from '@platform-backend/service/declared';
import { differencesBetween, type Difference, type PricedWork } from './differences.ts';

/** There is nothing to look at. The message says what to do. */
export class NotRunning extends Error {}

export interface Comparison {
  readonly env: NodeJS.ProcessEnv;
  /** None: all that have an account. */
  readonly organisations: readonly string[];
  readonly from: Date;
  readonly until: Date;
}

export interface Sums {
  readonly organisations: number;
  readonly work: number;
  readonly debits: number;
  readonly differences: number;
}

/** A work and its debit have two clocks. */
const MARGIN_MS = 3_600_000;

/** Tells of each difference. */
export async function compareDebits(
  { env, organisations, from, until }: Comparison,
  tell: (difference: Difference & { readonly organisationId: string }) => void,
): Promise<Sums> {
  await using open = new AsyncDisposableStack();
  const openStorage = await storageOpener(env, open);
  const books = (await openStorage(billing)).opened.database;
  const kept = await Promise.all([
    openStorage(content).then(
      ({ opened, own }) =>
        (organisationId: string, since: Date) =>
          pricedInContent(opened.database, organisationId, since, own),
    ),
    openStorage(pipelines).then(
      ({ opened, own }) =>
        (organisationId: string, since: Date) =>
          pricedInPipelines(opened.database, organisationId, since, own),
    ),
    openStorage(notebooks).then(
      ({ opened, own }) =>
        (organisationId: string, since: Date) =>
          pricedInNotebooks(opened.database, organisationId, since, own),
    ),
  ]);
  const since = new Date(from.getTime() - MARGIN_MS);
  const looked = organisations.length > 0 ? organisations : await organisationsWithAccounts(books);
  const sums = { organisations: looked.length, work: 0, debits: 0, differences: 0 };
  for (const organisationId of looked) {
    // The books first: work that ends meanwhile is later than `until`.
    const booked = await bookedWork(books, organisationId, since);
    const works: PricedWork[] = (await Promise.all(kept.map((read) => read(organisationId, since)))).flat();
    const differences = differencesBetween(works, booked, { from, until });
    for (const difference of differences) tell({ organisationId, ...difference });
    sums.work += works.length;
    sums.debits += booked.reduce((sum, { debits }) => sum + debits, 0);
    sums.differences += differences.length;
  }
  return sums;
}

/** Opens what services keep, as the role with which they run, until `open` is disposed of. */
async function storageOpener(env: NodeJS.ProcessEnv, open: AsyncDisposableStack) {
  const settings = readSettings(env);
  const services = await declaredServices(settings.apps);
  const logger = createLogger({ service: 'debits', level: 'warn', destination: process.stderr });

  return async <Declaration extends Service['declaration']>({
    declaration,
    readSettings: read,
  }: Service<Declaration>) => {
    const { name } = declaration;
    const found = services.find((one) => one.declaration.name === name);
    const environment = found && operatorEnvironment(found, services, settings, env);
    if (!environment) {
      throw new NotRunning(`The platform does not run on ${settings.homeAsTyped}; start it with npm start.`);
    }
    const { storage, own } = read(environment);
    const opening = { settings: storage, applicationName: `${name} debits`, logger, metrics: createMetrics() };
    const opened = open.adopt(await declaration.storage.open(opening), (it) => it.close());
    return { opened: opened.opened as Opened<Declaration>, own: own as Configuration<Declaration['settings']> };
  };
}

type Opened<Declaration extends Service['declaration']> = Awaited<ReturnType<Declaration['storage']['open']>>['opened'];
