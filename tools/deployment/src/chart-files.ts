import { repositoryPrograms } from '@platform-backend/documentation/programs';
import { declaredServices } from '@platform-backend/service/declared';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { streamJobSettings } from '../../../deploy/event-streams.ts';
import { chartApps, chartVariables, type ChartApps } from './chart-facts.ts';
import { chartSchema } from './chart-schema.ts';
import { eventAccesses } from './nats-users.ts';

const ROOT = new URL('../../../', import.meta.url);
export const inRepository = (path: string): string => fileURLToPath(new URL(path, ROOT));

/** What the apps of this repository declare, as the chart has to know it. */
export async function repositoryApps(): Promise<ChartApps> {
  const [services, accesses, { processes }] = await Promise.all([
    declaredServices(inRepository('apps')),
    eventAccesses(),
    repositoryPrograms(),
  ]);
  const gateway = processes.find(({ name }) => name === 'gateway');
  const eventAccess = accesses.find(({ service }) => service === 'gateway');
  if (!gateway || !eventAccess) throw new Error('There is no gateway');
  return chartApps(
    services.map((service) => ({ ...service, ...ofPackage(service.declaration.name) })),
    {
      ...ofPackage('gateway'),
      variables: gateway.variables,
      eventAccess,
      domains: services.map(({ declaration }) => declaration.name),
    },
  );
}

/** What only the package of an app says. */
function ofPackage(app: string): { version: string; makesSandboxes: boolean } {
  const text = readFileSync(inRepository(`apps/${app}/package.json`), 'utf8');
  const { version } = JSON.parse(text) as { version: string };
  return { version, makesSandboxes: text.includes('"@platform-backend/sandbox"') };
}

/** One variable in JSON, which reads better on one line. */
const VARIABLE = /\{\n\s+("name": .+),\n\s+("secret": .+),\n\s+("required": .+)\n\s+\}/g;

/** The files of the chart that follow from what the apps declare, by their paths in the repository. */
export async function chartFiles(): Promise<Readonly<Record<string, string>>> {
  const [apps, { processes }] = await Promise.all([repositoryApps(), repositoryPrograms()]);
  const described = Object.fromEntries(processes.map(({ name, variables }) => [name, variables]));
  const job = chartVariables(streamJobSettings);
  const ofJob = job.filter(({ secret }) => secret !== 'always').map(({ name }) => name);
  const facts = { apps, eventStreams: job };
  return {
    'deploy/helm/platform/files/facts.json': `${JSON.stringify(facts, null, 1).replaceAll(VARIABLE, '{ $1, $2, $3 }')}\n`,
    'deploy/helm/platform/values.schema.json': `${JSON.stringify(chartSchema(apps, described, ofJob), null, 1)}\n`,
  };
}
