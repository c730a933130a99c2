import { expect, it } from 'vitest'
import { isProblemKind, PROBLEMS, type ProblemDetails, type ProblemKind } from '../../../src/connect/http/problem.ts'
import { accessibilityPage } from '../../../src/connect/views/accessibility.ts'
import { backLink } from '../../../src/connect/views/back-link.ts'
import { type BankSearch, bankPage, suggestionsOf } from '../../../src/connect/views/bank.ts'
import { booksPage } from '../../../src/connect/views/books-choice.ts'
import { consentPage } from '../../../src/connect/views/consent.ts'
import { termsOf, toConsentTexts } from '../../../src/connect/views/consent-terms.ts'
import { errorSummary, fieldErrorOf } from '../../../src/connect/views/field-problems.ts'
import { renderFileNotes } from '../../../src/connect/views/file-notes.ts'
import { outsidePage } from '../../../src/connect/views/frame.ts'
import { type HandOffForm, handedAddressPage, handOffOffer, handOffPage, waitingPage } from '../../../src/connect/views/hand-off.ts'
import { heldBankNotice } from '../../../src/connect/views/held-bank.ts'
import { helperDeclinedPage, helperDonePage, helperPage } from '../../../src/connect/views/helper.ts'
import { bankNotedPage, missingBankPage } from '../../../src/connect/views/missing-bank.ts'
import { problemPage } from '../../../src/connect/views/problem.ts'
import { remindersForm, remindersKeptPage, remindersPage } from '../../../src/connect/views/reminders.ts'
import { formPage, leavingPage, redirectPage, uploadPage } from '../../../src/connect/views/source.ts'
import { widgetPage } from '../../../src/connect/views/widget.ts'
import { html } from '../../../src/model/texts/html.ts'
import type { FileNote } from '../../../src/sync/authorize/file-notes.ts'
import type { OpenHandOff } from '../../../src/sync/links/hand-off.ts'
import { AT, daysLater, sampleVisit, sampleVisitor } from './sample-visit.ts'
import { expectWritten } from './written-pages.ts'

const visit = sampleVisit()
const visitor = sampleVisitor(visit)
const banks = sampleVisit({ source: 'plaid' })
const helper = sampleVisit({ link: { parentId: '00000000-0000-4000-8000-000000000009' } })
const bank = { id: 'ins_1', name: 'Banque <Nord>' }
const notice = html`<p class="notice">Notice</p>`
const NOTES: FileNote[] = [
  { name: 'a.ofx', kind: 'refused', text: { en: 'No statement', 'fr-CA': 'Aucun relevé' } },
  { name: 'b.ofx', kind: 'inPart', text: { en: 'Two lines', 'fr-CA': 'Deux lignes' } },
]

it('the consent page says who asks, what is read and until when, and what has changed', async () => {
  const termsAt = (open = visit.open, renews: string | null = null) => termsOf(open, { locale: 'en', zone: 'America/Montreal' }, renews, AT)
  const page = (of = visit, renews: string | null = null, hasChanged = false) =>
    consentPage(sampleVisitor(of), of, { terms: termsAt(of.open, renews), hash: 'abcd', hasChanged })
  const asked = (contact: string) => page(sampleVisit({ pages: { contact } }))
  await expectWritten('consent', {
    'for books': page(),
    'for a bank, changed since, renewing': page(banks, 'Bank & Co', true),
    'for files': page(sampleVisit({ source: 'bank-files' })),
    'for a bank of a source': page(sampleVisit({ source: 'plaid', service: { institutionId: 'ins_1', name: 'Banque Nord' } })),
    'with an address to write to': asked('help@maple.example'),
    'with a page to look at': asked('https://maple.example/help'),
    'with a page of this deployment': asked('https://connect.example.com/portal/sign-in'),
  })
  const { texts, hash } = toConsentTexts(sampleVisit({ pages: { contact: 'help@maple.example' } }).open, 'UTC', 'Books', AT)
  await expectWritten('consent-texts', { texts: JSON.stringify(texts, null, 1), hash: hash.toString('hex') })
  const own = { ...visit.open, purpose: { key: 'loan', version: 1, texts: { en: 'A <loan>', 'fr-CA': 'Un prêt' }, durationDays: 30 } }
  expect(JSON.stringify(termsAt(own))).toContain('A <loan>')
})

it('the pages before the source lead there, with the bank that was chosen', async () => {
  const form = (typed: Record<string, string>, problems: Parameters<typeof formPage>[4], shown: typeof notice | null) =>
    formPage(visitor, sampleVisit({ source: 'form-source' }), FIELDS, typed, problems, problems.length > 0 ? 422 : 200, shown)
  const demo = sampleVisit({ source: 'form-source', example: { address: 'demo', password: 'demo-secret' } })
  const upload = (problems: Parameters<typeof uploadPage>[3]) =>
    uploadPage(visitor, sampleVisit({ source: 'bank-files' }), { accept: ['.ofx', '.csv'], megabytes: 10 }, problems, 200)
  await expectWritten('source', {
    'to books': redirectPage(visitor, visit, null, 'redirect', null),
    'to a bank': redirectPage(visitor, banks, bank, 'redirect', notice),
    'to any bank': redirectPage(visitor, banks, null, 'redirect', null),
    'to a widget': redirectPage(visitor, visit, null, 'widget', null),
    'to a widget of a bank': redirectPage(visitor, banks, bank, 'widget', null),
    leaving: leavingPage(visitor, banks, bank, 'https://source.example/?a=1&b=2'),
    form: form({}, [], null),
    'form with faults': form({ address: 'x', password: 'secret' }, [{ field: 'address', text: 'Wrong' }], notice),
    'form of the sandbox': formPage(visitor, demo, FIELDS, { note: 'typed', password: 'typed' }, [], 200),
    upload: upload([]),
    'upload with faults': upload([{ field: 'files', text: 'Missing' }]),
    widget: widgetPage(visitor, banks, bank, {
      widget: { script: 'https://js.example/x.js', origins: [], glue: '', params: { a: '"b"' } },
      state: 'state-1',
    }),
  })
})

it('the page in a frame opens the source in a window', async () => {
  await expectWritten('frame', {
    'of books': outsidePage(visitor, visit, null, null),
    'of a bank': outsidePage(visitor, banks, bank, notice),
    'of any bank': outsidePage(visitor, banks, null, null),
  })
})

it('the directory of banks shows what was found, page by page', async () => {
  const found = (id: string, isPopular: boolean, url: string | null = null, name = `Bank ${id}`) => ({
    ...{ id, name, countries: ['CA'], routingNumbers: [], url, isPopular },
  })
  const search = (more: Partial<BankSearch>): BankSearch => ({
    ...{ text: '', country: null, showsAllCountries: false, page: 1, pageSize: 2, total: 3, isEmptyDirectory: false },
    institutions: [found('1', true, 'https://www.one.example/x'), found('2', false, 'nonsense', 'B'.repeat(300))],
    ...more,
  })
  const page = (more: Partial<BankSearch>, of = banks) => bankPage(visitor, of, search(more))
  await expectWritten('bank', {
    'the first page': page({}),
    'the last page of a search': page({ text: 'one', page: 2, institutions: [found('3', true)] }),
    'a page in between, of one country': page({ page: 2, total: 5, country: 'CA' }),
    'one page only, of all countries, without a reference': page(
      { total: 2, showsAllCountries: true },
      sampleVisit({ source: 'plaid', visit: { ref: null } }),
    ),
    'popular ones only': page({ total: 1, institutions: [found('1', true)] }),
    nothing: page({ text: 'xyz', total: 0, institutions: [], country: 'CA' }),
    'an empty directory': page({ isEmptyDirectory: true, total: 0, institutions: [] }),
    'suggestions, some': JSON.stringify(suggestionsOf(visitor, banks, search({ text: 'b' })), null, 1),
    'suggestions, all': JSON.stringify(suggestionsOf(visitor, banks, search({ text: 'b', total: 2 })), null, 1),
    'suggestions, none': JSON.stringify(suggestionsOf(visitor, banks, search({ text: '<b>', total: 0, institutions: [] })), null, 1),
  })
  const missing = (problems: Parameters<typeof missingBankPage>[2]['problems'], canUpload: boolean) =>
    missingBankPage(visitor, banks, { typed: { name: 'Caisse "X"', country: 'US', website: 'https://x.example' }, canUpload, problems })
  await expectWritten('missing-bank', {
    form: missing([], true),
    'with faults': missing([{ field: 'name', text: 'Missing' }], false),
    noted: bankNotedPage(visitor, banks, { noted: { id: 'n1', name: 'Caisse <X>' }, canUpload: true }),
    'noted, without files': bankNotedPage(visitor, banks, { noted: { id: 'n1', name: 'Caisse' }, canUpload: false }),
  })
  const held = (parentName: string | null, serviceName: string) => ({
    ...{ connectionId: 'c', serviceId: 's', serviceName, parentName, connectedAt: AT, banks: [] },
  })
  await expectWritten('held-bank', {
    nowhere: heldBankNotice(visitor, 'Bank', [], 'before'),
    before: heldBankNotice(visitor, 'Bank <1>', [held('Plaid', 'Bank'), held(null, 'Files & Co'), held('Plaid', 'Other')], 'before'),
    after: heldBankNotice(visitor, 'Bank', [held(null, 'Direct')], 'after'),
  })
})

it('a choice of books keeps what was chosen before', async () => {
  const choice = {
    state: 'state-1',
    books: [
      { id: '1', name: 'Books <A>' },
      { id: '2', name: 'Books B' },
    ],
  }
  await expectWritten('books', {
    choice: booksPage(visitor, visit, choice, []),
    'without a choice': booksPage(visitor, visit, choice, [{ field: 'entity', text: 'Choose one' }]),
  })
})

it('a hand-off has a form, an address, a state and an end', async () => {
  const form = (more: Partial<HandOffForm>): HandOffForm => ({
    ...{ onceId: 'once-1', institutionId: null, name: 'Anna "A"', email: 'anna@example.com', canMail: true, ...more },
  })
  const waiting = (more: Partial<OpenHandOff>) =>
    waitingPage(visitor, banks, {
      ...{ linkId: 'l', institutionId: 'ins_1', helper: { name: 'Anna', email: 'anna@example.com' }, mailState: 'sent', openedAt: null },
      ...{ declinedAt: null, expiresAt: daysLater(3), isAtSource: false, ...more },
    })
  await expectWritten('hand-off', {
    offer: handOffOffer(visitor, banks, 'ins_1'),
    'offer for files': handOffOffer(visitor, sampleVisit({ source: 'bank-files' })),
    'offer to a helper': handOffOffer(visitor, helper),
    form: handOffPage(visitor, visit, form({}), [], 200),
    'form with faults': handOffPage(visitor, banks, form({ institutionId: 'ins_1' }), [{ field: 'email', text: 'Needed' }], 422),
    'form without mail': handOffPage(visitor, visit, form({ canMail: false }), [], 200),
    address: handedAddressPage(visitor, visit, 'https://connect.example.com/l/1', daysLater(3)),
    posted: waiting({}),
    posting: waiting({ mailState: 'waiting', institutionId: null }),
    failed: waiting({ mailState: 'failed' }),
    refused: waiting({ mailState: 'refused', helper: { name: '', email: 'anna@example.com' } }),
    unopened: waiting({ helper: { name: '', email: null }, mailState: null }),
    opened: waiting({ openedAt: AT, mailState: 'failed' }),
    'at the source': waiting({ openedAt: AT, isAtSource: true }),
    declined: waiting({ openedAt: AT, isAtSource: true, declinedAt: AT }),
  })
  await expectWritten('helper', {
    'for books': helperPage(visitor, visit),
    'for files': helperPage(visitor, sampleVisit({ source: 'bank-files' })),
    'for a form': helperPage(visitor, sampleVisit({ source: 'form-source' })),
    declined: helperDeclinedPage(visitor, visit),
    done: helperDonePage(visitor, visit, []),
    'done in part': helperDonePage(visitor, visit, NOTES),
  })
})

it('reminders are asked for by mail address', async () => {
  await expectWritten('reminders', {
    form: remindersForm(visitor, visit, '/connect/done?a=1&b=2'),
    refused: remindersPage(visitor, visit, 'no"pe', '/connect/done', { text: 'Wrong', status: 422 }),
    kept: remindersKeptPage(visitor, visit, '/connect/done'),
  })
})

it('notes name files, faults name fields, and nothing is shown where there are none', async () => {
  await expectWritten('notes', {
    none: renderFileNotes(visitor, []),
    two: renderFileNotes(visitor, NOTES),
    'of one file': renderFileNotes(
      visitor,
      NOTES.map((note) => ({ ...note, name: 'a <1>.ofx' })),
    ),
    'no faults': errorSummary(visitor, []),
    faults: errorSummary(visitor, [
      { field: 'a', text: 'Wrong' },
      { field: 'b', label: 'B', text: '<Bad>' },
      { field: null, text: 'All' },
    ]),
    'no fault of a field': fieldErrorOf([{ field: 'b', text: 'Wrong' }], 'a'),
    'faults of a field': fieldErrorOf(
      [
        { field: 'a', text: 'One' },
        { field: 'b', text: 'No' },
        { field: 'a', text: 'Two' },
      ],
      'a',
    ),
  })
})

it('the way back leads to whoever asked, never to a sign-in', async () => {
  const returning = sampleVisit({
    link: { returnUrl: 'https://app.example.com/loans?id=1' },
    pages: { frameOrigins: ['https://frame.example'] },
  })
  const foreign = sampleVisit({ link: { returnUrl: 'https://evil.example/' } })
  const of = (returnsTo: string) => sampleVisitor(returning, { returnsTo })
  await expectWritten('back-link', {
    none: backLink(visitor, visit, 'connected'),
    connected: backLink(visitor, returning, 'connected'),
    declined: backLink(visitor, returning, 'declined'),
    'not allowed': backLink(visitor, foreign, 'connected'),
    'in a frame': backLink(sampleVisitor(returning, { isFramed: true }), returning, 'connected'),
    'in the window of a frame': backLink(of('window'), returning, 'connected'),
    'to the page with the frame': backLink(of('https://frame.example/page'), returning, 'declined'),
    'to another page': backLink(of('https://other.example/page'), returning, 'connected'),
  })
})

it('the accessibility statement leads back to a link that can be used', async () => {
  const used = (word: 'no' | 'recently') => accessibilityPage(sampleVisitor(sampleVisit({ visit: { used: word } })))
  await expectWritten('accessibility', {
    open: used('no'),
    used: used('recently'),
    'without a link': accessibilityPage(sampleVisitor(null)),
  })
})

it('a problem page says whose fault it is and what comes next', async () => {
  const page = (kind: ProblemKind, of = visitor, details: ProblemDetails = {}) => problemPage(of, { kind, details }, 'ref-9')
  await expectWritten('problem', {
    ...Object.fromEntries(
      Object.keys(PROBLEMS)
        .filter(isProblemKind)
        .map((kind) => [kind, page(kind)]),
    ),
    'incomplete, in the words of the source': page('incomplete', visitor, { text: { en: 'Too <few>', 'fr-CA': 'Trop peu' } }),
    'mismatch with names': page('mismatch', visitor, { names: { before: 'A <1>', now: 'B' } }),
    'silent without a link': page('silent', sampleVisitor(null)),
    'declined in the window of a frame': page('declined', sampleVisitor(visit, { returnsTo: 'window' })),
    'declined in a frame': page('declined', sampleVisitor(visit, { returnsTo: 'window', isFramed: true })),
  })
})

const FIELDS: Parameters<typeof formPage>[2] = [
  {
    ...{ name: 'address', type: 'url', required: true, autocomplete: 'url' },
    ...{ label: { en: 'Address', 'fr-CA': 'Adresse' }, hint: { en: 'Example', 'fr-CA': 'Exemple' } },
  },
  { name: 'note', type: 'text', label: { en: 'Note', 'fr-CA': 'Note' }, required: false },
  { name: 'password', type: 'password', label: { en: 'Password', 'fr-CA': 'Mot de passe' }, required: true },
]
