import type { Json } from '../../../src/model/values/json.ts'
import type { Trytond } from './trytond.ts'

/** Ids that the tests refer to. */
export interface Books {
  /** The company with the German chart SKR03. */
  companyId: number
  /** A second company with the minimal chart. */
  sisterId: number
  /** A third company with the Spanish chart of small and medium companies, for which the user `contable` works. */
  spanishId: number
  bankId: number
  /** Goods received, 19 % tax. */
  goodsId: number
  /** Users who log in with the password of the administrator. */
  clerk: string
  accountant: string
}

/** Three companies in one database, with charts, a fiscal year, and users who work for the second and for the third one. */
export async function createBooks(server: Trytond, password: string): Promise<Books> {
  const currencyId = await create(server, 'currency.currency', {
    name: 'Dollar canadien',
    code: 'CAD',
    symbol: '$',
    digits: 2,
    rounding: decimal('0.01'),
  })
  const companyId = await createCompany(server, 'Boulangerie Ébène inc.', currencyId)
  const sisterId = await createCompany(server, 'Café Ébène inc.', currencyId)
  const spanishId = await createCompany(server, 'Panadería Ébano S.L.', currencyId)
  const both = { companies: [['add', [companyId, sisterId, spanishId]]] }
  await server.call('model.res.user.write', [1], { ...both, company: companyId }, {})
  await createChart(server, companyId, 'Kontenplan SKR03 (Germany)')
  await createChart(server, sisterId, 'Minimal Account Chart')
  await createChart(server, spanishId, 'Plan Contable para PYMES 2008')
  await createFiscalYear(server, companyId, 2026)
  const groups = await server.call('model.res.group.search', [], 0, null, null, {})
  await create(server, 'res.user', { name: 'Zoé', login: 'zoé', password, groups: [['add', groups]], ...both, company: sisterId })
  const spanish = { companies: [['add', [spanishId]]], company: spanishId }
  await create(server, 'res.user', { name: 'Inés', login: 'contable', password, groups: [['add', groups]], ...spanish })
  const bankId = await findAccount(server, companyId, '1200')
  const goodsId = await findAccount(server, companyId, '3400')
  return { companyId, sisterId, spanishId, bankId, goodsId, clerk: 'zoé', accountant: 'contable' }
}

/** Creates an entry from the bank to goods; posted by default. Returns its id. */
export async function createEntry(server: Trytond, books: Books, amount: string, text: string, isPosted = true): Promise<number> {
  const context = { company: books.companyId }
  const [journalId] = list(await server.call('model.account.journal.search', [['type', '=', 'cash']], 0, 1, null, context))
  const [periodId] = list(
    await server.call('model.account.period.search', [['company', '=', books.companyId]], 0, 1, [['id', 'ASC']], context),
  )
  const entry = {
    company: books.companyId,
    journal: journalId ?? null,
    period: periodId ?? null,
    date: { __class__: 'date', year: 2026, month: 1, day: 31 },
    description: text,
    lines: [
      [
        'create',
        [
          { account: books.goodsId, debit: decimal(amount), credit: decimal('0'), description: 'Farine' },
          { account: books.bankId, debit: decimal('0'), credit: decimal(amount) },
        ],
      ],
    ],
  }
  const moveId = await create(server, 'account.move', entry, context)
  if (isPosted) await server.call('model.account.move.post', [moveId], context)
  return moveId
}

async function createCompany(server: Trytond, name: string, currencyId: number): Promise<number> {
  const partyId = await create(server, 'party.party', { name })
  return create(server, 'company.company', { party: partyId, currency: currencyId })
}

async function createChart(server: Trytond, companyId: number, name: string): Promise<void> {
  const domain: Json = [
    ['name', '=', name],
    ['parent', '=', null],
  ]
  const [templateId] = list(await server.call('model.account.account.template.search', domain, 0, 1, null, {}))
  const [wizardId] = list(await server.call('wizard.account.create_chart.create', {}))
  const data = { start: {}, account: { company: companyId, account_template: templateId ?? null } }
  await server.call('wizard.account.create_chart.execute', wizardId ?? null, data, 'create_account', { company: companyId })
}

async function createFiscalYear(server: Trytond, companyId: number, year: number): Promise<void> {
  const [kindId] = list(await server.call('model.ir.sequence.type.search', [['name', '=', 'Account Move']], 0, 1, null, {}))
  const sequenceId = await create(server, 'ir.sequence', { name: String(year), sequence_type: kindId ?? null, company: companyId })
  const yearId = await create(
    server,
    'account.fiscalyear',
    {
      name: String(year),
      start_date: { __class__: 'date', year, month: 1, day: 1 },
      end_date: { __class__: 'date', year, month: 12, day: 31 },
      company: companyId,
      post_move_sequence: sequenceId,
      // The Spanish module adds invoices, which require sequences.
      invoice_sequences: [],
    },
    { company: companyId },
  )
  await server.call('model.account.fiscalyear.create_period', [yearId], { company: companyId })
}

async function findAccount(server: Trytond, companyId: number, code: string): Promise<number> {
  const domain: Json = [
    ['company', '=', companyId],
    ['code', '=', code],
  ]
  const [id] = list(await server.call('model.account.account.search', domain, 0, 1, null, { company: companyId }))
  if (typeof id !== 'number') throw new Error(`the chart has no account ${code}`)
  return id
}

async function create(server: Trytond, model: string, values: Json, context: Json = {}): Promise<number> {
  const [id] = list(await server.call(`model.${model}.create`, [values], context))
  if (typeof id !== 'number') throw new Error(`${model} was not created`)
  return id
}

function list(value: Json): Json[] {
  return Array.isArray(value) ? value : []
}

function decimal(text: string): Json {
  return { __class__: 'Decimal', decimal: text }
}
