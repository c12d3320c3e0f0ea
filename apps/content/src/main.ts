import { service } from './service.ts';

await service.main(async () => (await import('./areas.ts')).compose);
