import type { LocalizedText } from '../../model/values/text.ts'
import { otherSoftware } from '../toolkit/typed-address.ts'

/** Owner-facing texts for when the form cannot be used as it is. */
export const refusals = {
  notTryton: otherSoftware('Tryton'),
  tooOld: {
    en: 'This Tryton server is too old: version 6.0 or later is needed.',
    'fr-CA': 'Ce serveur Tryton est trop ancien : la version 6.0 ou une version ultérieure est requise.',
  },
  noDatabase: {
    en: 'The server could not open this database. Check its name; capital letters count.',
    'fr-CA': 'Le serveur n’a pas pu ouvrir cette base de données. Vérifiez son nom; les majuscules comptent.',
  },
  wrongPassword: {
    en: 'Tryton did not accept this user name and password.',
    'fr-CA': 'Tryton n’a pas accepté ce nom d’utilisateur et ce mot de passe.',
  },
  secondFactor: {
    en: 'This user logs in with more than a password. Choose a user for whom the password is enough.',
    'fr-CA': 'Cet utilisateur se connecte avec plus qu’un mot de passe. Choisissez un utilisateur à qui le mot de passe suffit.',
  },
  noCompany: {
    en: 'This user works for no company. Choose the current company in the preferences of Tryton, then try again.',
    'fr-CA':
      'Cet utilisateur ne travaille pour aucune société. Choisissez la société courante dans les préférences de Tryton, puis réessayez.',
  },
  noAccess: {
    en: 'This user may not read the accounts. Ask for the rights of the accounting group.',
    'fr-CA': 'Cet utilisateur ne peut pas lire les comptes. Demandez les droits du groupe de comptabilité.',
  },
  noAccounting: {
    en: 'Accounting is not activated in this database.',
    'fr-CA': 'La comptabilité n’est pas activée dans cette base de données.',
  },
} satisfies Record<string, LocalizedText>
