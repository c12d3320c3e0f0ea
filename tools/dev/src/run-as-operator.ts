import type { Service } from '@platform-backend/service';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { readSettings, type Settings } from './settings.ts';

/** Where the platform is, and what its services declare. */
export interface OperatedPlatform {
  readonly settings: Settings;
  readonly services: readonly Service[];
}

/**
 * Runs a module of a service as an operator, of the platform that runs or with the environment that was given; its exit code is
 * ours.
 */
export async function runAsOperator(
  { settings, services }: OperatedPlatform,
  service: Service,
  module: string,
  args: readonly string[],
): Promise<void> {
  const { operatorEnvironment } = await import('./operator-environment.ts');
  const env = operatorEnvironment(service, services, settings, process.env);
  if (env === undefined) {
    console.error(`The platform does not run on ${settings.homeAsTyped}; start it with npm start.`);
    process.exitCode = 1;
    return;
  }
  await runModule(module, args, env);
}

/** What a service does for operators, with the words that were typed. Who asks for help needs no platform. */
export async function operate(name: string): Promise<void> {
  const args = process.argv.slice(2);
  const settings = readSettings(process.env);
  const module = join(settings.apps, name, 'src/operate.ts');
  // An option in place of a word is one for help, or none that there is.
  if (args[0] === undefined || args[0].startsWith('-') || args.includes('--help') || args.includes('-h'))
    return runModule(module, args);
  const { declaredServices } = await import('@platform-backend/service/declared');
  const services = await declaredServices(settings.apps);
  const service = services.find(({ declaration }) => declaration.name === name);
  if (!service) throw new Error(`there is no ${name} among ${settings.apps}`);
  await runAsOperator({ settings, services }, service, module, args);
}

async function runModule(module: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<void> {
  const child = spawn(process.execPath, [module, ...args], { stdio: 'inherit', env: { ...process.env, ...env } });
  process.exitCode = await new Promise<number>((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
}
