import type { ChartAccount, MappingSubject } from '../subject.ts'
import { type ChartEntry, readChart } from '../tryton/charts.ts'

/**
 * French law: classes 1 to 5 are in the balance sheet, 6 is charges, 7 is produits. Source: Plan comptable général,
 * art. 911-1 ff.
 */
function expectedFrench(entry: ChartEntry): ChartAccount['expected'] {
  const subType = FRENCH_SUB_TYPES[entry.code]
  return { ...classOfFrench(entry), ...(subType !== undefined && { subType }) }
}

/** Names that say it, and names that say half of it or something else: write-offs, rebates, work in progress, cheques to cash. */
const FRENCH_SUB_TYPES: Readonly<Record<string, string>> = {
  ...{ 164: 'LOAN', 16884: '', 2131: '', 28131: '', 29131: '', 5112: '', 616: 'INSURANCE', 6226: 'PROFESSIONAL_FEES', 623: 'MARKETING' },
  ...{ 6251: 'TRAVEL', 6411: 'PAYROLL', 654: 'BAD_DEBT', 6551: '', 6616: 'INTEREST_EXPENSE', 675: '', 695: 'TAX_EXPENSE' },
  ...{ 706: 'SERVICES', 707: 'SALES', 7091: '', 71345: '' },
}

function classOfFrench({ code, types }: ChartEntry): ChartAccount['expected'] & object {
  if (types.length === 0 || code === '' || types[0]?.startsWith('Plan ')) return { class: 'NON_POSTING' }
  if (types.includes('Hors bilan')) return { class: 'NON_POSTING' }
  if (code.startsWith('6')) return { class: 'EXPENSE' }
  if (code.startsWith('7')) return { class: 'INCOME' }
  if (types.includes('Actif')) return { class: 'ASSET' }
  return { class: /^1[0-4]/.test(code) ? 'EQUITY' : 'LIABILITY' }
}

/**
 * Spanish law: groups 1 to 5 are in the balance sheet, 6 is compras y gastos, 7 is ventas e ingresos. Source: Plan
 * General de Contabilidad, parte cuarta
 */
function expectedSpanish({ code, types }: ChartEntry): ChartAccount['expected'] {
  if (types.length === 0 || code === '0') return { class: 'NON_POSTING' }
  if (/^[67]/.test(code)) return { class: code.startsWith('6') ? 'EXPENSE' : 'INCOME' }
  if (types.some((name) => name.includes('TOTAL ACTIVO'))) return { class: 'ASSET' }
  if (types.some((name) => name.includes('A) PATRIMONIO NETO'))) return { class: 'EQUITY' }
  return types.some((name) => name.includes('PASIVO NO CORRIENTE') || name.includes('PASIVO CORRIENTE')) ? { class: 'LIABILITY' } : {}
}

/** Belgian law: class 0 is off the balance sheet, 1 to 5 in it, 6 and 7 in the income statement. */
function expectedBelgian({ code, types }: ChartEntry): ChartAccount['expected'] {
  if (types.length === 0 || code === '' || types.includes('Hors bilan') || types.includes('Buiten balans')) return { class: 'NON_POSTING' }
  if (types.includes('Charges') || types.includes('Kosten')) return { class: 'EXPENSE' }
  if (types.includes('Produits') || types.includes('Opbrengsten')) return { class: 'INCOME' }
  if (types.includes('Actif') || types.includes('Activa')) return { class: 'ASSET' }
  return {}
}

/**
 * German law (HGB § 275): lines called Erträge are income, those called Aufwendungen expense, whatever Tryton flags.
 */
function expectedGerman({ types }: ChartEntry): ChartAccount['expected'] {
  if (types.length <= 1) return { class: 'NON_POSTING' }
  const lines = types.slice(0, types.indexOf('Jahresüberschuss Jahresfehlbetrag')).join(' < ')
  if (types.includes('Jahresüberschuss Jahresfehlbetrag')) {
    if (
      /(^|< )(sonstige betriebliche |außerordentliche )?Erträge|sonstige Zinsen und ähnliche Erträge|erhaltene Gewinne|Umsatzerlöse|Erhöhung|Eigenleistungen/.test(
        lines,
      )
    )
      return { class: 'INCOME' }
    return { class: 'EXPENSE' }
  }
  if (types.includes('Aktiva')) return { class: 'ASSET' }
  if (types.includes('Kapital')) return { class: 'EQUITY' }
  return types.includes('Passiva') ? { class: 'LIABILITY' } : {}
}

const debian = (name: string) => ({ needs: { what: `Debian's ${name}`, isFailureInCi: true } })

export const subject: MappingSubject = {
  charts: [
    {
      name: 'France (PCG)',
      read: () => readChart('account_fr/account_fr.xml', expectedFrench),
      ...debian('tryton-modules-account-fr'),
      floors: { accounts: 1234, class: 1234, type: 1234, subType: 37, unknownWords: 0 },
    },
    {
      name: 'Spain (PGC PYMES)',
      read: () => readChart('account_es/account_pyme.xml', expectedSpanish),
      ...debian('tryton-modules-account-es'),
      floors: { accounts: 776, class: 776, type: 776, subType: 0, unknownWords: 0 },
    },
    {
      name: 'Spain (PGC)',
      read: () => readChart('account_es/account_normal.xml', expectedSpanish),
      ...debian('tryton-modules-account-es'),
      floors: { accounts: 909, class: 895, type: 895, subType: 0, unknownWords: 14 },
    },
    {
      name: 'Belgium, French',
      read: () => readChart('account_be/account_be_fr.xml', expectedBelgian),
      ...debian('tryton-modules-account-be'),
      floors: { accounts: 565, class: 563, type: 563, subType: 13, unknownWords: 2 },
    },
    {
      name: 'Belgium, Dutch',
      read: () => readChart('account_be/account_be_nl.xml', expectedBelgian),
      ...debian('tryton-modules-account-be'),
      floors: { accounts: 565, class: 563, type: 563, subType: 0, unknownWords: 2 },
    },
    {
      name: 'Germany (SKR03)',
      read: () => readChart('account_de_skr03/account_de.xml', expectedGerman),
      ...debian('tryton-modules-account-de-skr03'),
      floors: { accounts: 1162, class: 1162, type: 1162, subType: 0, unknownWords: 0 },
    },
    ...['bg', 'ca', 'de', 'en', 'es', 'fr', 'nl', 'pt', 'ru', 'sl'].map((language) => ({
      name: `Minimal chart, ${language}`,
      read: () => readChart(`account/minimal_chart_${language}.xml`, () => ({})),
      ...debian('tryton-modules-account'),
      // The tax account in languages that the mapping does not know: a liability, which is counted.
      floors: { accounts: 7, class: 7, type: 7, subType: 0, unknownWords: ['bg', 'ru', 'sl'].includes(language) ? 1 : 0 },
    })),
  ],
}
