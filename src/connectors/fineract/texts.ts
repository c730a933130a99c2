import type { LocalizedText } from '../../model/values/text.ts'
import { otherSoftware } from '../toolkit/typed-address.ts'

/** Owner-facing texts for when the form cannot be used as it is. */
export const refusals = {
  notFineract: otherSoftware('Fineract'),
  noTenant: {
    en: 'The server does not know this tenant. Capital letters count.',
    'fr-CA': 'Le serveur ne connaît pas ce locataire (tenant). Les majuscules comptent.',
  },
  noToken: {
    en: 'No token could be obtained there for this user and client. Check the token address, the OAuth client and its secret.',
    'fr-CA':
      'Aucun jeton n’a pu y être obtenu pour cet utilisateur et ce client. Vérifiez l’adresse des jetons, le client OAuth et son secret.',
  },
  wrongPassword: {
    en: 'The server did not accept this user and password.',
    'fr-CA': 'Le serveur n’a pas accepté cet utilisateur et ce mot de passe.',
  },
  noAccess: {
    en: 'This user may not read clients and their accounts. Ask your lender for read rights.',
    'fr-CA': 'Cet utilisateur ne peut pas lire les clients et leurs comptes. Demandez des droits de lecture à votre prêteur.',
  },
  noClient: {
    en: 'There is no client with this number that this user may see.',
    'fr-CA': 'Aucun client portant ce numéro n’est visible pour cet utilisateur.',
  },
} satisfies Record<string, LocalizedText>
