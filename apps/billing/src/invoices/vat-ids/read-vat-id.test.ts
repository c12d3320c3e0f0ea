import { describe, expect, it } from '@jest/globals';
import { readVatId } from './read-vat-id.ts';

describe('a VAT ID', () => {
  it.each([
    ['DE136695976', 'DE', '136695976'],
    ['de 136 695 976', 'DE', '136695976'],
    ['ATU13585627', 'AT', 'U13585627'],
    ['FR40303265045', 'FR', '40303265045'],
    ['EL094259216', 'GR', '094259216'],
    ['NL004495445B01', 'NL', '004495445B01'],
    ['IE6433435F', 'IE', '6433435F'],
    ['ESB58378431', 'ES', 'B58378431'],
    ['IT00743110157', 'IT', '00743110157'],
    ['SE556188840401', 'SE', '556188840401'],
    ['BE0428759497', 'BE', '0428759497'],
    ['PL8567346215', 'PL', '8567346215'],
    ['GB980780684', 'GB', '980780684'],
    ['CHE-107.787.577 MWST', 'CH', 'E107787577MWST'],
  ])('is read with its prefix: %s', async (vatId, country, number) => {
    expect(await readVatId(vatId, null)).toEqual({ country, number, isValid: true });
  });

  it.each(['DE136695975', 'DE1', 'ATU13585628', 'FR41303265045', 'NL123456783B90', 'EL123456781', 'IT00743110158'])(
    'is wrong when its check digits are: %s',
    async (vatId) => {
      expect(await readVatId(vatId, null)).toMatchObject({ isValid: false, country: expect.any(String) });
    },
  );

  it('is of the country of its owner where it has no prefix', async () => {
    expect(await readVatId('136695976', 'DE')).toEqual({ country: 'DE', number: '136695976', isValid: true });
    expect(await readVatId('094259216', 'GR')).toEqual({ country: 'GR', number: '094259216', isValid: true });
  });

  it('is none that is known elsewhere', async () => {
    expect(await readVatId('29GGGGG1314R9Z6', 'IN')).toEqual({
      country: null,
      number: '29GGGGG1314R9Z6',
      isValid: false,
    });
    expect(await readVatId('12345', null)).toMatchObject({ country: null });
  });
});
