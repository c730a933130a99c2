import type { LocalizedText } from '../../model/values/text.ts'
import { otherSoftware } from '../toolkit/typed-address.ts'

/** Owner-facing texts for when the form cannot be used as it is. */
export const refusals = {
  notOdoo: otherSoftware('Odoo'),
  tooOld: {
    en: 'This Odoo is too old: version 12 or later is needed.',
    'fr-CA': 'Cet Odoo est trop ancien : la version 12 ou une version ultérieure est requise.',
  },
  noDatabase: {
    en: 'The server could not open this database. Check its name; capital letters count.',
    'fr-CA': 'Le serveur n’a pas pu ouvrir cette base de données. Vérifiez son nom; les majuscules comptent.',
  },
  wrongKey: {
    en: 'Odoo did not accept this user and key. A key may have expired: make a new one in your Odoo preferences.',
    'fr-CA':
      'Odoo n’a pas accepté cet utilisateur et cette clé. La clé a peut-être expiré : créez-en une nouvelle dans vos préférences Odoo.',
  },
  otherUser: {
    en: 'This key belongs to another user than the one above.',
    'fr-CA': 'Cette clé appartient à un autre utilisateur que celui indiqué ci-dessus.',
  },
  noCompany: {
    en: 'This user works for no company in Odoo.',
    'fr-CA': 'Cet utilisateur ne travaille pour aucune société dans Odoo.',
  },
  notCurrent: {
    en: 'In this version Odoo shows only the user’s current company. Switch to the other company in Odoo, then try again.',
    'fr-CA': 'Dans cette version, Odoo ne montre que la société courante de l’utilisateur. Changez de société dans Odoo, puis réessayez.',
  },
  noAccess: {
    en: 'This user may not read the accounts and journal entries. Ask for read access to accounting.',
    'fr-CA': 'Cet utilisateur ne peut pas lire les comptes et les écritures. Demandez un accès en lecture à la comptabilité.',
  },
  noAccounting: {
    en: 'The Invoicing or Accounting app is not installed in this database.',
    'fr-CA': 'L’application Facturation ou Comptabilité n’est pas installée dans cette base de données.',
  },
} satisfies Record<string, LocalizedText>

/** Lists the existing companies, at most ten. */
export function unknownCompany(names: readonly string[]): LocalizedText {
  const list = names.slice(0, 10).join(', ') + (names.length > 10 ? ', …' : '')
  return {
    en: `This user has no such company. There are: ${list}`,
    'fr-CA': `Cet utilisateur n’a pas de société de ce nom. Il y a : ${list}`,
  }
}
