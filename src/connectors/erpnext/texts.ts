import type { LocalizedText } from '../../model/values/text.ts'
import { otherSoftware } from '../toolkit/typed-address.ts'

/** Owner-facing texts for when the form cannot be used as it is. */
export const refusals = {
  notErpnext: otherSoftware('ERPNext'),
  tooOld: {
    en: 'This ERPNext is too old: version 13 or later is needed.',
    'fr-CA': 'Cet ERPNext est trop ancien : la version 13 ou une version ultérieure est requise.',
  },
  wrongKey: {
    en: 'ERPNext did not accept this API key and secret. Making a new secret in ERPNext ends the old one.',
    'fr-CA': 'ERPNext n’a pas accepté cette clé API et ce secret. La création d’un nouveau secret dans ERPNext met fin à l’ancien.',
  },
  noCompany: {
    en: 'This user may not see any company in ERPNext.',
    'fr-CA': 'Cet utilisateur ne peut voir aucune société dans ERPNext.',
  },
  noAccess: {
    en: 'This user may not read the accounts and the general ledger. The role Accounts User or Auditor is enough.',
    'fr-CA':
      'Cet utilisateur ne peut pas lire les comptes et le grand livre. Le rôle Utilisateur des comptes (Accounts User) ou Auditeur suffit.',
  },
} satisfies Record<string, LocalizedText>

/** Question for the company, if there are several. */
export function whichCompany(names: readonly string[]): LocalizedText {
  return {
    en: `There are several companies. Type the one that you want to connect: ${toList(names)}`,
    'fr-CA': `Il y a plusieurs sociétés. Indiquez celle que vous voulez connecter : ${toList(names)}`,
  }
}

export function unknownCompany(names: readonly string[]): LocalizedText {
  return {
    en: `This user has no such company. There are: ${toList(names)}`,
    'fr-CA': `Cet utilisateur n’a pas de société de ce nom. Il y a : ${toList(names)}`,
  }
}

/** Ten names at most. */
function toList(names: readonly string[]): string {
  return names.slice(0, 10).join(', ') + (names.length > 10 ? ', …' : '')
}
