import { fr } from '../../model/texts/french.ts'
import type { MailTexts } from './en.ts'

const DAYS = (days: number): string => (days === 1 ? 'demain' : fr`dans ${days} jours`)

/** What mails say, in the French of Québec. */
export const frCa: MailTexts = {
  writes: (asker) => fr`${asker} vous écrit :`,
  colon: fr` :`,
  address: fr`Si le bouton ne fonctionne pas, copiez cette adresse dans votre navigateur :`,
  foot: (asker, contact) => fr`Envoyé au nom de ${asker}.${contact === '' ? '' : fr` Questions ou plaintes : ${contact}`}`,
  alone: fr`Ce lien vous est réservé : veuillez ne pas transférer ce message.`,
  unknown: (asker) => fr`Si vous ne connaissez pas ${asker}, vous pouvez ignorer ce message. Rien ne se passera.`,
  until: (date) => fr`Ce lien ne sert qu’une fois, jusqu’au ${date}.`,
  business: 'Entreprise',
  service: 'Connexion',
  reference: 'Numéro du reçu',
  link: {
    subject: (asker, service) => fr`${asker} vous demande de connecter ${service}`,
    lead: ({ asker, company, service }) =>
      fr`${asker} demande à consulter les données de ${company} dans ${service}. Ouvrez la page pour voir ce qui est demandé et pourquoi. Rien n’est transmis avant que vous ayez accepté.`,
    button: 'Voir ce qui est demandé',
  },
  repair: {
    subject: (asker, service) => fr`Veuillez renouveler la connexion de ${service} avec ${asker}`,
    lead: ({ asker, company, service }) =>
      fr`La connexion à ${service} pour ${company} a pris fin et ${asker} ne reçoit plus de données à jour. Ouvrez la page et identifiez-vous de nouveau; cela prend environ une minute.`,
    button: 'Renouveler la connexion',
  },
  handOff: {
    subject: (company, service) => fr`${company} vous demande de vous identifier dans ${service}`,
    lead: ({ asker, company, service, helper }) =>
      fr`${helper === '' ? 'Bonjour' : `Bonjour ${helper}`}. ${company} a accepté que ses données dans ${service} soient consultées par ${asker} et vous demande de vous identifier, puisque vous avez l’accès. Vous n’avez rien d’autre à décider, et personne ne voit votre mot de passe.`,
    button: 'Ouvrir la page d’identification',
    unknown: (company) => fr`Si ce message de ${company} ne vous est pas destiné, ignorez-le. Rien ne se passera.`,
  },
  consentEnding: {
    subject: (asker, days) => fr`Votre autorisation pour ${asker} prend fin ${DAYS(days)}`,
    lead: ({ asker, company, service, days }, date) =>
      fr`L’autorisation qui permet à ${asker} de consulter ${service} pour ${company} prend fin ${DAYS(days)}, le ${date}. Pour que la consultation se poursuive, renouvelez-la sur la page ci-dessous.`,
    button: 'Renouveler l’autorisation',
    otherwise: 'Si vous ne faites rien, la consultation cessera d’elle-même ce jour-là.',
  },
  ownerPage: {
    subject: (asker) => fr`Votre page : ce que vous partagez avec ${asker}`,
    lead: ({ asker, company }) =>
      fr`Votre page montre ce que ${company} partage avec ${asker}. Vous pouvez y suspendre la consultation, retirer votre autorisation ou télécharger vos données.`,
    button: 'Ouvrir ma page',
  },
  agreed: {
    subject: (asker) => fr`Reçu : votre autorisation pour ${asker}`,
    lead: ({ asker }) =>
      fr`Vous avez autorisé ${asker} à consulter des données de votre entreprise. Conservez ce message : il vous sert de reçu.`,
    givenOn: 'Accordée le',
    endsOn: 'Prend fin le',
    words: fr`Ce que vous avez accepté :`,
    reminders: 'Nous vous écrirons de nouveau à cette adresse avant la fin de l’autorisation.',
    button: 'La voir ou la retirer',
  },
  withdrawn: {
    subject: (asker) => fr`Reçu : vous avez retiré votre autorisation pour ${asker}`,
    lead: ({ asker }) =>
      fr`Votre autorisation est retirée. ${asker} ne peut plus consulter les données ci-dessous. Conservez ce message : il vous sert de reçu.`,
    withdrawnOn: 'Retirée le',
  },
  invitation: {
    subject: (asker) => fr`Votre accès au portail de ${asker}`,
    lead: ({ asker, host }) =>
      fr`Un administrateur de ${asker} vous a donné accès à son portail sur ${host}. Choisissez un mot de passe sur la page ci-dessous : vous confirmez ainsi cette adresse, avec laquelle vous ouvrirez une session.`,
    button: 'Choisir un mot de passe',
    once: fr`Ce lien ne sert qu’une fois, pendant trois jours.`,
  },
  passwordReset: {
    subject: 'Choisissez un nouveau mot de passe',
    lead: ({ host }) =>
      fr`Quelqu’un a demandé un nouveau mot de passe pour cette adresse sur ${host}. Si c’est vous, choisissez-le sur la page ci-dessous.`,
    button: 'Choisir un mot de passe',
    once: fr`Ce lien ne sert qu’une fois, pendant une demi-heure.`,
    unknown: 'Si ce n’est pas vous, ignorez ce message. Votre mot de passe reste le même.',
  },
}
