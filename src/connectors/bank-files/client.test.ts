import { describe, expect, it } from 'vitest'
import { refusalOf } from '../../../test/harness/connector-calls.ts'
import type { Json } from '../../model/values/json.ts'
import type { Page, Session, SourceFile } from '../contract/contract.ts'
import { bankFilesConnector } from './client.ts'
import { bytesOf, examine, fixture, upload } from './fixtures/upload.ts'
import { bankFiles } from './index.ts'

const refusal = async (bytes: Uint8Array) => (await refusalOf(examine(bytes))).text

function textOf(name: string): string {
  return new TextDecoder().decode(fixture(name))
}

describe('authorization by upload', () => {
  it.each(['card.qfx', 'loan.ofx', 'chequing.ofx', 'loan.bai2', 'statement.camt053.xml', 'chain.mt940'])(
    'accepts %s, always into the same books',
    async (name) => {
      expect((await examine(fixture(name))).grant).toEqual({
        credentials: { secret: null, expiresAt: null },
        entity: { id: 'files', name: 'Bank files' },
      })
    },
  )

  it('is what the description promises', async () => {
    expect((await bankFiles.load()).authorize.step).toBe(bankFiles.link)
  })
})

describe('files of another kind are named', () => {
  it.each([
    ['PDF', bytesOf('%PDF-1.7 …')],
    ['PNG', Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)],
    ['ZIP / Excel', Uint8Array.of(0x50, 0x4b, 3, 4, 0, 0, 0, 0)],
    ['CSV', bytesOf('Date,Amount,Text\n2026-01-01,5.00,Shop\n')],
    ['CSV', bytesOf('Datum;Betrag;Text\n')],
    ['HTML', bytesOf('<!DOCTYPE html><html><body>Sign in</body></html>')],
    ['XML <Invoice>', bytesOf('<?xml version="1.0"?><Invoice xmlns="urn:x"><Total>5</Total></Invoice>')],
    ['ISO 20022 pain.001', bytesOf('<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"><A/></Document>')],
    ['QIF', bytesOf('!Type:Bank\nD01/02/2026\nT-5.00\n^\n')],
    ['JSON', bytesOf('{"accounts": []}')],
  ])('%s', async (what, bytes) => {
    const text = await refusal(bytes)
    expect([text.en, text['fr-CA']]).toEqual([
      `This is a file of another kind (${what}). Choose OFX, QFX, BAI2, camt.053 or MT940 when you download it from the bank.`,
      `Ce fichier est d’un autre type (${what}). Choisissez OFX, QFX, BAI2, camt.053 ou MT940 au moment de le télécharger de votre institution.`,
    ])
  })

  it.each(['052', '054'])('camt.%s is no statement and says which one to take', async (number) => {
    const text = await refusal(bytesOf(textOf('statement.camt053.xml').replace('camt.053', `camt.${number}`)))
    expect(text.en).toBe(
      `This is a camt.${number} message (movements of the day), not a statement. Download the end-of-day statement, camt.053.`,
    )
  })

  it('an MT942 is no statement', async () => {
    const text = await refusal(bytesOf(':20:X\n:25:HARBDEFF/532013000\n:28C:1\n:34F:EUR0,\n:13D:2603311200+0100\n'))
    expect(text.en).toBe('Line 4: this is an MT942 (movements of the day), not a statement. Download the MT940.')
  })

  it('bytes that are no text', async () => {
    expect((await refusal(Uint8Array.of(1, 2, 0, 0, 9, 8, 7))).en).toContain('in none of the formats that we read')
  })
})

describe('broken files are refused with the place', () => {
  it.each([
    ['empty', '', 'The file is empty.'],
    ['blank', ' \n\n', 'The file is empty.'],
    ['OFX without statement', 'OFXHEADER:100\n\n<OFX>\n<SIGNONMSGSRSV1>\n</SIGNONMSGSRSV1>\n</OFX>', 'The OFX file holds no statement.'],
    ['OFX with a stray tag', '<OFX>\n</STMTTRN>\n</OFX>', 'Line 2: </STMTTRN> stands where <OFX> is still open.'],
    [
      'BAI2 without its trailer',
      '01,A,B,260101,0000,1,,,2/\n',
      'Line 1: the file ends without its trailer (record 99). The file seems to be cut; download it again.',
    ],
    ['MT940 without account', ':20:X\n:62F:C260101EUR0,\n', 'The MT940 file names no account (:25:).'],
    [
      'MT940 with a broken line',
      ':20:X\n:25:1\n:60F:C260101EUR0,\n:61:nothing\n:62F:C260101EUR0,\n',
      'Line 4: the field :61: cannot be read.',
    ],
  ])('%s', async (_, text, message) => {
    expect((await refusal(bytesOf(text))).en).toBe(message)
  })

  it.each([
    ['card.qfx', '<CCSTMTRS>', 'Line 20: the file ends inside <CCSTMTTRNRS>, opened on line 19.'],
    ['statement.camt053.xml', '</c:Acct>', 'Line 15: the file ends inside <Acct>, opened on line 9.'],
    ['chain.mt940', ':62F:', 'Line 12: the message that begins here has no closing balance (:62F:).'],
    ['loan.bai2', '98,', 'Line 13: the file ends without its trailer (record 99).'],
  ])('%s cut before %s', async (name, mark, message) => {
    const text = textOf(name)
    expect(await refusal(bytesOf(text.slice(0, text.indexOf(mark))))).toEqual({
      en: `${message} The file seems to be cut; download it again.`,
      'fr-CA': expect.stringContaining('Le fichier semble tronqué; téléchargez-le de nouveau.'),
    })
  })

  it('a DTD, whose entities could grow without end', async () => {
    const laughs = '<?xml version="1.0"?>\n<!DOCTYPE d [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>\n<Document>&b;</Document>'
    expect((await refusal(bytesOf(laughs))).en).toBe(
      'Line 2: the file defines entities or a document type (DTD), which a bank statement has no use for.',
    )
  })

  it('elements nested beyond reason', async () => {
    const deep = `<Document>${'<A>'.repeat(100_000)}`
    expect((await refusal(bytesOf(deep))).en).toBe('Line 1: elements are nested too deep.')
  })
})

describe('encodings', () => {
  const french = textOf('loan.ofx')

  it('UTF-8 with a byte order mark', () => {
    expect(upload(bytesOf(`\ufeff${french}`)).accounts[1]?.accountName).toBe('Prêt d’équipement')
  })

  it('windows-1252 under a header that says nothing of use', () => {
    const latin = french.replaceAll('’', "'").replace('encoding="UTF-8"', 'encoding="us-ascii"')
    expect(upload(new Uint8Array(Buffer.from(latin, 'latin1'))).accounts[1]?.accountName).toBe("Prêt d'équipement")
  })

  it('UTF-8 under a header that says 1252', () => {
    const text = textOf('card.qfx').replace('Business Visa', 'Visa Affaires Élite')
    expect(upload(bytesOf(text)).accounts[0]?.accountName).toBe('Visa Affaires Élite')
  })

  it.each(['le', 'be'])('UTF-16 %s with and without a mark', (order) => {
    const wide = (text: string): Uint8Array => {
      const bytes = Buffer.from(text, 'utf16le')
      return new Uint8Array(order === 'le' ? bytes : bytes.swap16())
    }
    const names = [wide(`\ufeff${french}`), wide(french)].map((bytes) => upload(bytes).accounts[1]?.accountName)
    expect(names).toEqual(['Prêt d’équipement', 'Prêt d’équipement'])
  })
})

describe('one page a file', () => {
  const files: SourceFile[] = ['a', 'b'].map((id) => ({ id, name: `${id}.qfx`, bytes: fixture('card.qfx') }))

  function sessionWith(some: readonly SourceFile[]): Session {
    return {
      kit: {
        http: () => Promise.reject(new Error('statement files need no network')),
        app: {},
        hosts: {},
        now: () => new Date(0),
      },
      credentials: { secret: null, expiresAt: null },
      entityId: 'files',
      nextFile: async (after) => some[some.findIndex(({ id }) => id === after) + 1] ?? null,
    }
  }

  async function run(some: readonly SourceFile[], start: Json | null): Promise<Page[]> {
    const pages: Page[] = []
    let cursor = start
    do {
      for (const pull of bankFilesConnector.pulls) pages.push(await pull.fetch(sessionWith(some), cursor))
      cursor = pages.at(-1)?.next ?? null
    } while (cursor !== null)
    return pages
  }

  it('takes every file once and remembers the last', async () => {
    const pages = await run(files, null)
    expect(pages.map(({ answers }) => Object.keys(answers))).toEqual([['file', 'name'], ['file', 'name'], []])
    expect(pages.at(-1)).toEqual({ answers: {}, next: null, resume: { after: 'b' }, listing: 'changes' })
  })

  it('takes only what came since', async () => {
    const pages = await run(files, { after: 'a' })
    expect(pages.map(({ next }) => next)).toEqual([{ after: 'b' }, null])
  })

  it('starts again next time when nothing was ever handed in', async () => {
    expect(await run([], null)).toEqual([{ answers: {}, next: null, listing: 'changes' }])
  })
})
