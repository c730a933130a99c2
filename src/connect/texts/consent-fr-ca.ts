import { fr } from '../../model/texts/french.ts'
import { french } from '../../model/texts/plural.ts'
import type { consentEn } from './consent-en.ts'

export const consentFrCa: typeof consentEn = {
  consent: {
    title: (requester, service) => fr`${requester} demande à consulter vos données dans ${service}`,
    titleBank: (requester) => fr`${requester} demande à consulter vos comptes bancaires`,
    titleUpload: (requester) => fr`${requester} vous demande vos relevés bancaires`,
    business: 'Entreprise',
    through: 'Par l’entremise de',
    what: 'Ce qui est consulté',
    accountingAccounts: fr`Plan comptable : numéros, noms, types`,
    accountingTransactions: 'Écritures de journal',
    bankingAccounts: fr`Comptes : nom, type, solde, quatre derniers chiffres du numéro`,
    bankingTransactions: fr`Opérations : date, montant, description`,
    why: 'Pourquoi',
    purpose: (requester, company) => fr`${requester} en a besoin pour le service demandé par ${company}.`,
    howLong: 'Pendant combien de temps',
    readUntil: (minutes, until) => fr`${howOften(minutes)}, jusqu’au ${until} ou jusqu’au retrait de votre autorisation.`,
    onlyFiles: 'Seulement les fichiers que vous choisirez à la page suivante. Rien n’est demandé à votre institution financière.',
    filesUntil: (until) => fr`Ils sont utilisés jusqu’au ${until} ou jusqu’au retrait de votre autorisation.`,
    control: 'Vous gardez le contrôle',
    readOnly: 'Nous consultons seulement. Personne ne peut ainsi déplacer d’argent ni modifier vos livres.',
    withdraw: (requester) =>
      fr`Vous pouvez retirer votre autorisation en tout temps : sur la page personnelle que vous recevrez à la fin, ou en écrivant à ${requester}.`,
    withdrawAtSource: (requester, service) =>
      fr`Vous pouvez retirer votre autorisation en tout temps : sur la page personnelle que vous recevrez à la fin, en écrivant à ${requester} ou en supprimant l’accès dans ${service}.`,
    contact: 'Des questions',
    contactLine: (requester, address) => fr`${requester} : ${address}`,
    renewal: (entity) => fr`Vous avez déjà connecté ${entity}. Il s’agit de renouveler cet accès : choisissez de nouveau ${entity}.`,
    changed: 'Cette page a changé depuis que vous l’avez ouverte. Veuillez la relire avant d’accepter.',
    agree: 'Accepter et continuer',
    decline: 'Refuser',
    backTo: (requester) => fr`Retour à ${requester}`,
  },
}

function howOften(minutes: number): string {
  if (minutes === 0) return 'Consultation sur demande seulement'
  const [hours, days] = [minutes / 60, minutes / 1_440]
  if (days === 1) return 'Consultation environ une fois par jour pour l’instant'
  if (Number.isInteger(days)) return `Consultation environ tous les ${days}\u00a0jours pour l’instant`
  if (Number.isInteger(hours))
    return `Consultation ${french.form(hours, 'toutes les heures', `toutes les ${hours}\u00a0heures`)} pour l’instant`
  return `Consultation toutes les ${minutes}\u00a0minutes pour l’instant`
}
