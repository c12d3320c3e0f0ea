import type { Service } from '@platform-backend/service';
import { spawn } from 'node:child_process';
import { operatorEnvironment } from './operator-environment.ts';
import type { Settings } from './settings.ts';

/** Where the platform is, and what its services declare. */
export interface OperatedPlatform {
  readonly settings: Settings;
  readonly services: readonly Service[];
}

/**
 * Runs a module of a service as an operator, of the platform that runs or with the environment that was given; its exit code is ours. Who
 * asks for help needs neither.
 */
export async function runAsOperator(
  { settings, services }: OperatedPlatform,
  service: Service,
  module: string,
  args: readonly string[],
): Promise<void> {
  // An option in place of a word is one for help, or none that there is.
  const asksForHelp =
    args[0] === undefined || args[0].startsWith('-') || args.includes('--help') || args.includes('-h');
  const env = operatorEnvironment(service, services, settings, process.env) ?? (asksForHelp ? {} : undefined);
  if (env === undefined) {
    console.error(`The platform does not run on ${settings.homeAsTyped}; start it with npm start.`);
    process.exitCode = 1;
    return;
  }
  const child = spawn(process.execPath, [module, ...args], { stdio: 'inherit', env: { ...process.env, ...env } });
  process.exitCode = await new Promise<number>((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
}
