import { allSettled } from './all-settled.ts';
import { homePaths } from './home.ts';
import { keepRunning, type Kept } from './keep-running.ts';
import type { Progress } from './progress.ts';
import { gatewayEnvironment, serviceEnvironment, type ServiceContext } from './service-environment.ts';
import { startService, type ReadyLine } from './service-process.ts';
import { gateway, mainModule } from './services.ts';
import { Layer, type StopOrder } from './stop-order.ts';

/** Services and gateway start side by side: nobody needs the other in order to become ready. */
export async function startServices(
  context: ServiceContext,
  progress: Progress,
  started: StopOrder,
): Promise<Map<string, Kept<ReadyLine>>> {
  const { services, settings, surroundings } = context;
  const start = async (name: string, layer: Layer, env: NodeJS.ProcessEnv): Promise<[string, Kept<ReadyLine>]> => {
    const logFile = homePaths(surroundings.home).log(name);
    const main = mainModule(settings.apps, name);
    const keep = (): Promise<Kept<ReadyLine>> =>
      keepRunning({
        name,
        logFile: homePaths(settings.homeAsTyped).log(name),
        say: surroundings.say,
        signal: surroundings.signal,
        start: (signal) => startService({ name, main, env, logFile, signal }),
      });
    const kept = await progress.phase(name, keep, ({ ready }) => ready.address);
    started.add(layer, kept.stop);
    return [name, kept];
  };
  const starts = services.map(({ name }) => start(name, Layer.services, serviceEnvironment(name, context)));
  return new Map(await allSettled([...starts, start(gateway, Layer.gateway, gatewayEnvironment(gateway, context))]));
}
