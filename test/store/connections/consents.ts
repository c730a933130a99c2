import { createHash, randomUUID } from 'node:crypto'
import type { NewConsent } from '../../../src/store/connections/consents.ts'
import { AT } from '../../records/record-store.ts'

/** A consent that nobody has stored yet, of 30 days. */
export function newConsent(given: Pick<NewConsent, 'instanceId' | 'companyId' | 'linkId'> & Partial<NewConsent>): NewConsent {
  const { instanceId, companyId, linkId, ...more } = given
  const texts = more.texts ?? { en: ['To lend'], 'fr-CA': ['Pour prêter'] }
  const givenAt = more.givenAt ?? AT
  return {
    ...{ instanceId, companyId, linkId, id: randomUUID(), serviceId: randomUUID(), purposeKey: 'loan', purposeVersion: 1, texts },
    ...{ textHash: createHash('sha256').update(JSON.stringify(texts)).digest(), language: 'en', timeZone: null, durationDays: 30, givenAt },
    ...{ expiresAt: new Date(givenAt.getTime() + 30 * 86_400_000), ...more },
  }
}
