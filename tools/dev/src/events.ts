/** `npm run -s events -- identity lag`: what a service of the running platform tells about its events. */
import { runCommand, WrongUsage } from '@platform-backend/command-line';
import { eventsUsage } from '@platform-backend/events';
import { runAsOperator } from './run-as-operator.ts';
import { mainModule } from './services.ts';
import { readSettings } from './settings.ts';

await runCommand({
  name: 'npm run events --',
  usage: `npm run -s events -- SERVICE ...

Looks after the events of a service: of the platform that npm start runs on PLATFORM_HOME (.platform unless given), or of
another one, with the environment of that service. Answers are lines of JSON.
${eventsUsage}`,
  async run([name = '', ...args]) {
    const settings = readSettings(process.env);
    const { declaredServices } = await import('@platform-backend/service/declared');
    const services = await declaredServices(settings.apps);
    const service = services.find(({ declaration }) => declaration.name === name);
    if (!service) {
      const known = services.map(({ declaration }) => declaration.name).toSorted();
      throw new WrongUsage(`${name === '' ? 'Name a service' : `There is no service "${name}"`}: ${known.join(', ')}.`);
    }
    await runAsOperator({ settings, services }, service, mainModule(settings.apps, name), ['events', ...args]);
  },
});
