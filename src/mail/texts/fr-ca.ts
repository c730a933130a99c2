import { fr } from '../../model/texts/french.ts'
import type { MailTexts } from './en.ts'

const DAYS = (days: number): string => (days === 1 ? 'demain' : fr`dans ${days} jours`)

/** Mail texts in Québec French. */
export const frCa: MailTexts = {
  writes: (requester) => fr`${requester} vous écrit :`,
  colon: fr` :`,
  address: fr`Si le bouton ne fonctionne pas, copiez cette adresse dans votre navigateur :`,
  foot: (requester, contact) => fr`Envoyé au nom de ${requester}.${contact === '' ? '' : fr` Questions ou plaintes : ${contact}`}`,
  alone: fr`Ce lien vous est réservé : veuillez ne pas transférer ce message.`,
  unknown: (requester) => fr`Si vous ne connaissez pas ${requester}, vous pouvez ignorer ce message. Rien ne se passera.`,
  until: (date) => fr`Ce lien ne sert qu’une fois, jusqu’au ${date}.`,
  business: 'Entreprise',
  service: 'Connexion',
  reference: 'Numéro du reçu',
  link: {
    subject: (requester, service) => fr`${requester} vous demande de connecter ${service}`,
    lead: ({ requester, company, service }) =>
      fr`${requester} demande à consulter les données de ${company} dans ${service}. Ouvrez la page pour voir ce qui est demandé et pourquoi. Rien n’est transmis avant que vous ayez accepté.`,
    button: 'Voir ce qui est demandé',
  },
  repair: {
    subject: (requester, service) => fr`Veuillez renouveler la connexion de ${service} avec ${requester}`,
    lead: ({ requester, company, service }) =>
      fr`La connexion à ${service} pour ${company} a pris fin et ${requester} ne reçoit plus de données à jour. Ouvrez la page et identifiez-vous de nouveau; cela prend environ une minute.`,
    button: 'Renouveler la connexion',
  },
  handOff: {
    subject: (company, service) => fr`${company} vous demande de vous identifier dans ${service}`,
    lead: ({ requester, company, service, helper }) =>
      fr`${helper === '' ? 'Bonjour' : `Bonjour ${helper}`}. ${company} a accepté que ses données dans ${service} soient consultées par ${requester} et vous demande de vous identifier, puisque vous avez l’accès. Vous n’avez rien d’autre à décider, et personne ne voit votre mot de passe.`,
    button: 'Ouvrir la page d’identification',
    unknown: (company) => fr`Si ce message de ${company} ne vous est pas destiné, ignorez-le. Rien ne se passera.`,
  },
  consentEnding: {
    subject: (requester, days) => fr`Votre autorisation pour ${requester} prend fin ${DAYS(days)}`,
    lead: ({ requester, company, service, days }, date) =>
      fr`L’autorisation qui permet à ${requester} de consulter ${service} pour ${company} prend fin ${DAYS(days)}, le ${date}. Pour que la consultation se poursuive, renouvelez-la sur la page ci-dessous.`,
    button: 'Renouveler l’autorisation',
    otherwise: 'Si vous ne faites rien, la consultation cessera d’elle-même ce jour-là.',
  },
  ownerPage: {
    subject: (requester) => fr`Votre page : ce que vous partagez avec ${requester}`,
    lead: ({ requester, company }) =>
      fr`Votre page montre ce que ${company} partage avec ${requester}. Vous pouvez y suspendre la consultation, retirer votre autorisation ou télécharger vos données.`,
    button: 'Ouvrir ma page',
  },
  agreed: {
    subject: (requester) => fr`Reçu : votre autorisation pour ${requester}`,
    lead: ({ requester }) =>
      fr`Vous avez autorisé ${requester} à consulter des données de votre entreprise. Conservez ce message : il vous sert de reçu.`,
    givenOn: 'Accordée le',
    endsOn: 'Prend fin le',
    words: fr`Ce que vous avez accepté :`,
    reminders: 'Nous vous écrirons de nouveau à cette adresse avant la fin de l’autorisation.',
    button: 'La voir ou la retirer',
  },
  withdrawn: {
    subject: (requester) => fr`Reçu : vous avez retiré votre autorisation pour ${requester}`,
    lead: ({ requester }) =>
      fr`Votre autorisation est retirée. ${requester} ne peut plus consulter les données ci-dessous. Conservez ce message : il vous sert de reçu.`,
    withdrawnOn: 'Retirée le',
  },
  invitation: {
    subject: (requester) => fr`Votre accès au portail de ${requester}`,
    lead: ({ requester, host }) =>
      fr`Un administrateur de ${requester} vous a donné accès à son portail sur ${host}. Choisissez un mot de passe sur la page ci-dessous : vous confirmez ainsi cette adresse, avec laquelle vous ouvrirez une session.`,
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
  account: {
    when: 'Quand',
    network: 'Réseau',
    agent: 'Navigateur',
    otherProgram: 'Un autre programme',
    administrator: 'Administrateur',
    secondStep: 'Deuxième étape',
    app: 'Application d’authentification',
    passkey: 'Clé d’accès',
    button: 'Ouvrir mon compte',
    unknown: fr`Si ce n’est pas vous, choisissez tout de suite un nouveau mot de passe : toutes vos autres sessions prennent alors fin. Avisez ensuite un administrateur de votre instance.`,
    unknownAdmin: fr`Si aucun de vous ne l’a voulu, désactivez ce compte à la page « Membres » et choisissez de nouveaux mots de passe.`,
    unknownAddress: 'Si vous ne vous y attendiez pas, avisez tout de suite un administrateur de votre instance.',
  },
  passwordChanged: {
    subject: 'Votre mot de passe a été changé',
    lead: ({ host }) => fr`Le mot de passe de votre compte sur ${host} a été changé.`,
  },
  twoStepDisabled: {
    subject: 'La vérification en deux étapes a été désactivée',
    lead: ({ host }) =>
      fr`La vérification en deux étapes a été désactivée pour votre compte sur ${host}. Désormais, le mot de passe seul suffit pour l’ouvrir.`,
  },
  secondStepAdded: {
    subject: 'Une deuxième étape a été ajoutée',
    lead: ({ host }) => fr`Votre compte sur ${host} a une deuxième étape de plus pour ouvrir une session.`,
  },
  secondStepRemoved: {
    subject: 'Une deuxième étape a été retirée',
    lead: ({ host }) => fr`Une deuxième étape pour ouvrir une session a été retirée de votre compte sur ${host}.`,
  },
  twoStepReset: {
    subject: 'La vérification en deux étapes a été réinitialisée',
    lead: ({ host }) =>
      fr`Un administrateur a retiré la deuxième étape de votre compte sur ${host}, et toutes vos sessions sont fermées. Ouvrez une session avec votre mot de passe et activez-en une autre.`,
  },
  twoStepRequired: {
    subject: 'La vérification en deux étapes est maintenant obligatoire',
    lead: ({ host }) =>
      fr`Votre instance sur ${host} exige maintenant la vérification en deux étapes. À votre prochaine ouverture de session, vous devrez l’activer.`,
  },
  newNetwork: {
    subject: 'Session ouverte depuis un nouveau réseau',
    lead: ({ host }) => fr`Une session de votre compte sur ${host} a été ouverte depuis un réseau d’où il n’avait pas encore été utilisé.`,
  },
  addressChanged: {
    subject: 'Votre adresse courriel a été changée',
    lead: ({ host }) =>
      fr`Le fournisseur d’identité de votre organisation a changé l’adresse courriel de votre compte sur ${host}. La présente adresse n’est plus associée à ce compte, et les liens qui y ont été envoyés ne fonctionnent plus.`,
  },
  newAdministrator: {
    subject: 'Il y a un nouvel administrateur',
    lead: ({ host }) => fr`Votre instance sur ${host} a un nouvel administrateur, qui peut tout y faire.`,
  },
}
