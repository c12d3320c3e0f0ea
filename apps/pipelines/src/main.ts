import { compose } from './areas.ts';
import { service } from './service.ts';

await service.main(compose);
