import { TEXTS } from '../../../src/connect/texts/locale.ts'
import type { OwnerVisit, Visit, Visitor } from '../../../src/connect/visit/visitor.ts'
import { bankFiles } from '../../../src/connectors/bank-files/index.ts'
import type { ConnectorDescription } from '../../../src/connectors/contract/contract.ts'
import { plaid } from '../../../src/connectors/plaid/index.ts'
import { quickbooks } from '../../../src/connectors/quickbooks/index.ts'
import { createSources, type Source } from '../../../src/connectors/sources.ts'
import { createKit } from '../../../src/connectors/toolkit/http/kit.ts'
import { createEgress } from '../../../src/egress/egress.ts'
import type { OwnedConnection } from '../../../src/store/owners/owner-connections.ts'
import type { OwnerPages } from '../../../src/store/owners/owner-pages.ts'
import type { OpenLink } from '../../../src/sync/links/link.ts'
import type { Service } from '../../../src/sync/sources/catalogue.ts'
import { formSource } from '../kit/form-source.ts'

export const AT = new Date('2026-11-20T15:04:05Z')
export const daysLater = (days: number) => new Date(AT.getTime() + days * 86_400_000)
const id = (last: string) => `00000000-0000-4000-8000-0000000000${last}`

const DESCRIPTIONS: Readonly<Record<string, ConnectorDescription>> = {
  quickbooks,
  plaid,
  'bank-files': bankFiles,
  'form-source': formSource,
}
const sources = createSources(Object.values(DESCRIPTIONS), {
  settings: {},
  simulators: {},
  createKit: (app, hosts) => createKit({ egress: createEgress({ allowPrivate: true }), app, hosts, now: () => AT, allowPrivate: true }),
})

function sourceOf(key: string): Source {
  const source = sources.get(key)
  if (!source) throw new Error(`no source ${key}`)
  return source
}

const PAGES: OwnerPages = {
  ...{ publicName: '', contact: '', accentLight: null, accentDark: null, defaultLanguage: null, timeZone: null, purposeKeys: [] },
  ...{ defaultPurpose: null, returnAddresses: ['https://app.example.com/'], frameOrigins: [], logo: null },
}

interface Sample {
  source?: 'quickbooks' | 'plaid' | 'bank-files' | 'form-source'
  service?: Partial<Service>
  /** Values that a simulator of the source accepts. */
  example?: Record<string, string>
  link?: Partial<OpenLink['link']>
  pages?: Partial<OwnerPages>
  visit?: Partial<Visit>
}

/** A link that an owner has opened and agreed to. */
export function sampleVisit({ source: key = 'quickbooks', service, example, link, pages, visit }: Sample = {}): Visit {
  const source = { ...sourceOf(key), ...(example ? { example } : {}) }
  const { description } = source
  return {
    open: {
      link: {
        ...{
          instanceId: id('01'),
          id: id('02'),
          companyId: id('03'),
          serviceId: id('04'),
          issuedBy: 'a@maple.example',
          applicationId: null,
        },
        ...{ expiresAt: daysLater(3), completedAt: null, revokedAt: null, purposeKey: null, language: null, returnUrl: null, openedAt: AT },
        ...{ parentId: null, traceParent: null, ...link },
      },
      instance: { id: id('01'), name: 'Maple <Lending>' },
      company: {
        ...{ id: id('03'), name: 'Café & Fils', industry: '', fullAddress: '', country: 'CA', city: '', companyContactNumber: '' },
        ...{ externalId: null, metadata: {}, createdOn: AT },
      },
      service: {
        ...{ id: id('04'), isEnabled: true, environment: 'production', name: description.name, title: description.title, parentId: null },
        ...{ parentName: null, description: '{}', categoryId: id('05'), category: description.category },
        ...{ supportedEntities: description.entities, source, institutionId: null, ...service },
      },
      pages: { ...PAGES, ...pages },
      purpose: { key: 'default', version: 0, texts: null, durationDays: 365 },
      refreshMinutes: 1440,
    },
    ...{ token: 'token-1', agreed: true, used: 'no', requester: 'Maple <Lending>', service: 'Service & Co', source: 'Source "One"' },
    ...{ company: 'Café & Fils', formToken: 'form-1', ref: 'ref-1', ...visit },
  }
}

/** Somebody who reads English, in Montréal, outside of frames. */
export function sampleVisitor(visit: Visit | null, more: Partial<Visitor> = {}): Visitor {
  return {
    ...{ locale: 'en', hasChosenLocale: false, zone: 'America/Montreal', browserZone: null, browserLocale: null, texts: TEXTS.en },
    ...{ linkCookies: [], origin: 'https://connect.example.com', requestId: 'request-1', isFramed: false, returnsTo: '' },
    ...{ visit, owner: null, ...more },
  }
}

export function sampleOwner(pages: Partial<OwnerPages> = {}): OwnerVisit {
  const { open } = sampleVisit({ pages })
  return {
    access: { instanceId: id('01'), id: id('06'), companyId: id('03') },
    ...{ instance: open.instance, company: open.company, pages: open.pages, token: 'token-2', requester: 'Maple <Lending>' },
    ...{ business: 'Café & Fils', zone: 'America/Montreal', formToken: 'form-2' },
  }
}

export function ownedConnection(more: Partial<OwnedConnection> = {}): OwnedConnection {
  return {
    ...{ instanceId: id('01'), id: id('07'), companyId: id('03'), serviceId: id('04'), connectorKey: 'quickbooks' },
    ...{
      category: 'Accounting',
      entityName: 'Books & Co',
      status: 11,
      connectedAt: AT,
      endedAt: null,
      lastReadAt: daysLater(1),
      nextReadAt: daysLater(2),
    },
    ...{ ownerPausedAt: null, operatorSuspendedAt: null, eraseAt: null, ...more },
  }
}
