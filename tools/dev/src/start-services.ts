import type { Service } from '@platform-backend/service';
import { allSettled } from './all-settled.ts';
import { homePaths } from './home.ts';
import { keepRunning, type SupervisedService } from './keep-running.ts';
import { migrations } from './migrations.ts';
import type { Progress } from './progress.ts';
import {
  gatewayEnvironment,
  migrationEnvironment,
  serviceEnvironment,
  type ServiceContext,
} from './service-environment.ts';
import { inspectorAddress, startService, type ReadyLine } from './service-process.ts';
import { gateway, mainModule } from './services.ts';
import { Layer, type StopOrder } from './stop-order.ts';

type Started = [name: string, process: SupervisedService<ReadyLine>];

/** Services and gateway start side by side: nobody needs the other in order to become ready. */
export async function startServices(
  context: ServiceContext,
  progress: Progress,
  started: StopOrder,
): Promise<Map<string, SupervisedService<ReadyLine>>> {
  const { services, settings, surroundings, inspection } = context;

  const program = (name: string, env: NodeJS.ProcessEnv) => ({
    name,
    env,
    main: mainModule(settings.apps, name),
    logFile: homePaths(surroundings.home).log(name),
  });

  const keep = async (
    {
      name,
      env,
      notice = '',
      layer,
    }: { name: string; env: NodeJS.ProcessEnv; notice?: string | undefined; layer: Layer },
    prepare: (signal: AbortSignal) => Promise<void> = () => Promise.resolve(),
  ): Promise<Started> => {
    const inspected = inspection?.service === name ? inspection : undefined;
    if (inspected?.waits) progress.say(`  ${name} waits for a debugger on ${inspectorAddress(inspected)}`);
    const work = (): Promise<SupervisedService<ReadyLine>> =>
      keepRunning({
        name,
        logFile: homePaths(settings.homeAsTyped).log(name),
        say: surroundings.say,
        signal: surroundings.signal,
        async start(signal) {
          await prepare(signal);
          return await startService({ ...program(name, env), signal }, inspected);
        },
      });
    const kept = await progress.phase(name, work, ({ ready }) => `${ready.address}   ${notice}`);
    started.add(layer, kept.stop);
    return [name, kept];
  };

  const startWithDatabase = async (service: Service): Promise<Started> => {
    const { name, development } = service.declaration;
    const env = serviceEnvironment(service, context);
    const asOwner = migrationEnvironment(name, context);
    const migrate = asOwner && migrations(program(name, asOwner));
    if (migrate) await progress.phase(`${name} migrations`, () => migrate(surroundings.signal));
    const notice = await development?.notice?.({ ...context.env, ...env });
    return await keep({ name, env, notice, layer: Layer.services }, migrate);
  };

  return new Map(
    await allSettled([
      ...services.map(startWithDatabase),
      keep({ name: gateway, env: gatewayEnvironment(gateway, context), layer: Layer.gateway }),
    ]),
  );
}
