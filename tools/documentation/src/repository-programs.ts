import { loadPlatformContract } from '@platform-backend/contracts';
import { byVariable } from '@platform-backend/core';
import { startSettings } from '@platform-backend/dev/settings';
import { gatewaySettings, policySettings } from '@platform-backend/gateway/settings';
import { declaredServices } from '@platform-backend/service/declared';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { streamJobSettings } from '../../../deploy/event-streams.ts';
import type { Programs } from './configuration-page.ts';
import { policyVariables } from './policy-variables.ts';

export const repository = resolve(import.meta.dirname, '../../..');

/** Everything of this repository that reads an environment. */
export async function repositoryPrograms(): Promise<Programs> {
  const services = await declaredServices(join(repository, 'apps'));
  const domains = new Set(loadPlatformContract().operations.map(({ domain }) => domain));
  const config = readFileSync(join(repository, 'apps/gateway/config/gateway.config.yml'), 'utf8');
  const gateway = {
    name: 'gateway',
    page: pageOf('gateway'),
    variables: { ...byVariable(gatewaySettings(domains)), ...policyVariables(config, policySettings) },
  };
  return {
    start: { name: '`npm start`', variables: startSettings },
    processes: [
      gateway,
      ...services.map(({ declaration: { name }, variables: { running, migrating } }) => ({
        name,
        page: pageOf(name),
        variables: { ...running, ...migrating },
      })),
    ],
    jobs: [
      {
        name: 'Who makes the event streams: `deploy/event-streams.ts`, and `npm start`',
        variables: byVariable(streamJobSettings),
      },
    ],
  };
}

const pageOf = (app: string): string => `../apps/${app}/README.md`;
