import { fr } from '../../model/texts/french.ts'
import { french } from '../../model/texts/plural.ts'
import { accessibilityFrCa } from './accessibility-fr-ca.ts'
import { banksFrCa } from './banks-fr-ca.ts'
import { consentFrCa } from './consent-fr-ca.ts'
import type { Texts } from './en.ts'
import { frameFrCa } from './frame-fr-ca.ts'
import { handOffFrCa } from './hand-off-fr-ca.ts'
import { ownerFrCa } from './owner-fr-ca.ts'

const { count } = french

/** Texts of the owner's pages in Québec French. */
export const frCa: Texts = {
  layout: {
    zone: (name) => fr`Fuseau horaire des dates et heures de cette page : ${name}.`,
    otherLanguage: 'English',
    steps: 'Étapes',
    stepDone: 'terminée',
    stepNames: { consent: 'Autorisation', bank: 'Institution', connect: 'Connexion', done: 'Terminé' },
    sandbox: (service) =>
      fr`Environnement d’essai. Ici, ${service} n’est qu’une simulation : données fictives, aucun compte réel n’est touché.`,
    reference: 'Code de référence',
    problem: 'Un problème est survenu',
    optional: '(facultatif)',
  },
  ...ownerFrCa,
  ...consentFrCa,
  ...banksFrCa,
  ...frameFrCa,
  ...handOffFrCa,
  ...accessibilityFrCa,
  books: {
    title: 'Quelle comptabilité voulez-vous connecter?',
    explain: (service, company) => fr`Votre compte ${service} donne accès à plusieurs comptabilités. Choisissez celle de ${company}.`,
    legend: 'Comptabilités',
    needed: 'Choisissez-en une.',
    go: 'Connecter cette comptabilité',
  },
  redirect: {
    title: (service) => fr`Ouvrez une session dans ${service}`,
    titleBank: (bank) => fr`Connectez ${bank}`,
    titleThere: (source) => fr`Choisissez votre institution dans ${source}`,
    change: 'Choisir une autre institution',
    leave: (service) =>
      fr`Vous passez maintenant à ${service}. Ouvrez-y une session et approuvez l’accès; vous reviendrez ensuite ici automatiquement.`,
    leaveBank: (source, bank) =>
      fr`Vous passez maintenant à ${source}, qui nous relie à ${bank}. Ouvrez une session et approuvez l’accès; vous reviendrez ensuite ici automatiquement.`,
    leaveThere: (source) =>
      fr`Vous passez maintenant à ${source}, qui nous relie à votre institution. Choisissez-la et approuvez l’accès; vous reviendrez ensuite ici automatiquement.`,
    password: (requester) => fr`Ni ${requester} ni nous ne voyons votre mot de passe.`,
    go: (service) => fr`Continuer vers ${service}`,
    leavingTitle: (service) => fr`Nous vous dirigeons vers ${service}`,
    leavingText: 'Si rien ne se passe, utilisez le bouton.',
  },
  widget: {
    leadBank: (source, bank) =>
      fr`À la page suivante s’ouvre une fenêtre de ${source}, qui nous relie à ${bank}. Ouvrez-y une session et approuvez l’accès.`,
    leadThere: (source) =>
      fr`À la page suivante s’ouvre une fenêtre de ${source}, qui nous relie à votre institution. Choisissez-la et approuvez l’accès.`,
    title: (source) => fr`Votre institution, par l’entremise de ${source}`,
    text: (source) =>
      fr`Ouvrez une session et approuvez l’accès dans la fenêtre de ${source}. Une fois que vous aurez terminé, la suite est automatique.`,
    opening: (source) => fr`Ouverture de la fenêtre de ${source}…`,
    finishing: 'Un instant, nous vérifions la connexion…',
    failedTitle: (source) => fr`La fenêtre de ${source} n’a pas pu s’ouvrir`,
    failedText: (source) =>
      fr`Rien n’a été connecté. Il se peut que ${source} ne réponde pas ou que votre navigateur bloque ses scripts : désactivez les bloqueurs de contenu pour cette page, puis revenez en arrière et réessayez.`,
    noScript: (source) =>
      fr`${source} a besoin de JavaScript, qui est désactivé dans votre navigateur. Activez-le, puis revenez en arrière et réessayez.`,
    back: 'Retour',
  },
  form: {
    title: (service) => fr`Connectez ${service}`,
    intro: (service) => fr`Entrez l’accès à ${service}. Il est conservé sous forme chiffrée et ne sert qu’à la consultation.`,
    example: fr`Bac à sable : les valeurs d’une entreprise fictive sont déjà inscrites. Remplacez-les par les vôtres pour connecter un vrai système.`,
    submit: 'Connecter',
    needed: 'Ce champ est obligatoire.',
    tooLong: 'Ce texte est trop long.',
  },
  upload: {
    title: 'Téléversez vos relevés bancaires',
    intro:
      'Téléchargez les relevés à partir du site de votre institution financière, puis choisissez les fichiers ici. Vous pouvez en choisir plusieurs à la fois.',
    label: 'Fichiers de relevés',
    hint: (endings, megabytes) => fr`${endings}, ${megabytes} Mo en tout au maximum.`,
    submit: 'Téléverser',
    noFile: 'Choisissez au moins un fichier.',
    empty: 'Ce fichier est vide.',
    tooLarge: (megabytes) =>
      fr`Ces fichiers dépassent ${megabytes} Mo en tout. Choisissez moins de fichiers ou des relevés d’une période plus courte.`,
    tooMany: (files) => fr`Choisissez au plus ${count(files, 'fichier', 'fichiers')} à la fois.`,
    inFile: (file, text) => fr`${file} : ${text}`,
    nothingStored: fr`Rien n’a encore été reçu : choisissez de nouveau les fichiers.`,
    tooSlow:
      'Le téléversement a pris trop de temps et a été interrompu. Vérifiez votre connexion Internet ou choisissez moins de fichiers à la fois.',
    underWay: 'Des fichiers sont déjà en cours de téléversement avec ce lien. Attendez que ce soit terminé, puis réessayez.',
    notScanned: fr`L’analyse antivirus n’est pas disponible pour le moment : rien n’a été téléversé. Réessayez dans quelques minutes.`,
    full: 'Beaucoup de personnes téléversent des fichiers en ce moment. Réessayez dans une minute.',
  },
  done: {
    title: 'La connexion est établie',
    alreadyTitle: 'Ce lien a déjà servi',
    text: (requester) => fr`Nous en informerons ${requester}. Vous pouvez fermer cette page : le reste se fait sans vous.`,
    alreadyText: (requester, service) => fr`Il a permis de connecter ${service} à ${requester}. Vous n’avez plus rien à faire.`,
    connections: 'Ce qui a été connecté',
    leftOut: 'Tout n’a pas pu être lu',
    leftOutText: (n) =>
      n === 1
        ? 'Tout le reste a été reçu. Vous pourrez téléverser un fichier corrigé avec un autre lien.'
        : 'Tout le reste a été reçu. Vous pourrez téléverser des fichiers corrigés avec un autre lien.',
    fileRefused: (file, text) => fr`${file} n’a pas été accepté. ${text}`,
    fileInPart: (file, text) => fr`${file} a été accepté, sauf ceci : ${text}`,
    status: fr`État :`,
    states: {
      waiting: 'En attente de la première lecture',
      reading: 'Première lecture en cours',
      ready: 'Prêt',
      retrying: 'La première lecture n’a pas réussi. Nous réessayons automatiquement; vous n’avez rien à faire.',
      renewal: 'L’accès a pris fin. Demandez un nouveau lien pour le renouveler.',
      ended: 'Déconnecté',
      paused: 'En pause',
    },
    connectedAt: 'Connecté',
    readyAt: 'Prêt',
    accounts: (n) => count(n, 'compte', 'comptes'),
    transactions: (n) => count(n, 'opération', 'opérations'),
    duration: 'La première lecture prend de quelques secondes à quelques minutes.',
    update: 'Mettre l’état à jour',
    another: (requester) => fr`Pour connecter autre chose, demandez un autre lien à ${requester}.`,
    changeMind: (requester) => fr`Pour retirer votre autorisation, écrivez à ${requester}.`,
  },
  problems: {
    tryAgain: 'Réessayer',
    startOver: 'Recommencer',
    back: 'Retour',
    goOn: 'Continuer',
    link: {
      title: 'Ce lien ne peut pas être ouvert',
      what: 'Il est peut-être expiré, remplacé ou copié en partie seulement.',
      next: 'Ouvrez-le de nouveau à partir du message reçu. S’il vous a déjà servi à établir une connexion, utilisez l’adresse de votre page personnelle, reçue à la fin. Sinon, demandez un nouveau lien à l’expéditeur.',
    },
    session: {
      title: 'Veuillez rouvrir votre lien',
      what: fr`Ce navigateur ne sait pas quel lien vous avez ouvert : du temps a passé, c’est un autre navigateur ou les témoins sont désactivés.`,
      next: 'Ouvrez le lien dans le message que vous avez reçu. Si cette page revient, autorisez les témoins (cookies) pour ce site.',
    },
    used: {
      title: 'Ce lien a déjà servi',
      what: 'Il a permis d’établir une connexion et un lien ne sert qu’une fois.',
      next: 'Vous n’avez plus rien à faire. Pour connecter autre chose, demandez un autre lien à l’expéditeur.',
    },
    declined: {
      title: 'Vous avez refusé',
      what: 'Rien n’a été connecté et rien n’a été communiqué.',
      next: 'Vous pouvez fermer cette page. Si c’était une erreur, réessayez.',
    },
    incomplete: {
      title: 'Rien n’a été connecté',
      what: 'L’ouverture de session n’est pas allée jusqu’au bout.',
      next: fr`Votre lien reste valide : vous pouvez réessayer.`,
    },
    mismatch: {
      title: 'Ce n’est pas le même choix que la dernière fois',
      what: 'Jusqu’ici, une autre entreprise ou un autre accès était connecté. Nous n’avons rien changé.',
      named: (before, now) => fr`Connecté jusqu’ici : ${before}. Vous venez de choisir : ${now}. Nous n’avons rien changé.`,
      next: (requester) =>
        fr`Réessayez en faisant le même choix que la dernière fois. Pour en changer, adressez-vous d’abord à ${requester}.`,
    },
    state: {
      title: 'Cette ouverture de session ne peut pas servir',
      what: 'Elle a déjà servi, elle a duré plus d’une demi-heure ou elle a commencé dans un autre navigateur.',
      next: 'Recommencez dans ce navigateur. Ce qui est déjà connecté le reste.',
    },
    silent: {
      title: (service) => fr`${service} ne répond pas`,
      what: (service) => fr`Le problème vient de ${service}, pas de vous. Rien n’a été connecté.`,
      next: 'Réessayez dans quelques minutes. Votre lien reste valide.',
    },
    refused: {
      title: (service) => fr`${service} n’a pas donné accès`,
      what: (service) => fr`L’ouverture de session n’a pas abouti dans ${service}. Rien n’a été connecté.`,
      next: (requester) => fr`Réessayez. Si le problème persiste, transmettez le code de référence ci-dessous à ${requester}.`,
    },
    off: {
      title: (service) => fr`${service} ne peut pas être connecté pour le moment`,
      what: 'Ce service est désactivé de notre côté. Vous n’avez fait aucune erreur.',
      next: (requester) => fr`Avisez ${requester} et transmettez le code de référence ci-dessous.`,
    },
    forged: {
      title: 'Ce formulaire ne peut pas être accepté',
      what: 'Il ne provient pas d’une de nos pages ouverte dans ce navigateur; rien n’a donc été fait.',
      next: 'Recommencez à partir d’ici.',
    },
    unreadable: {
      title: 'Nous n’avons pas pu lire cette demande',
      what: 'Ce que le navigateur a envoyé était incomplet ou d’un type inattendu. Rien n’a été fait.',
      next: 'Revenez en arrière et réessayez.',
    },
    nowhere: {
      title: 'Cette page n’existe pas',
      what: 'L’adresse a peut-être été copiée en partie seulement.',
      next: 'Ouvrez le lien dans le message que vous avez reçu.',
    },
    often: {
      title: 'Trop de demandes en peu de temps',
      what: 'Pour que personne ne puisse essayer des mots de passe ici, nous acceptons un nombre limité de formulaires par période de dix minutes. Rien n’a été fait cette fois-ci et rien n’est perdu.',
      next: 'Attendez dix minutes, puis continuez là où vous en étiez.',
    },
    full: {
      title: 'Ce lien ne permet plus d’ajout',
      what: 'La même demande a été faite si souvent que rien n’a été ajouté cette fois-ci. Ce qui a été fait auparavant est conservé.',
      next: (requester) => fr`Continuez avec ce qui est en place ou demandez un nouveau lien à ${requester}.`,
    },
    quota: {
      title: 'Rien ne peut être ajouté pour le moment',
      what: 'L’organisation qui vous a dirigé ici a atteint le volume convenu avec nous. Rien n’a été ajouté cette fois-ci et ce qui était en place est conservé.',
      next: (requester) => fr`Dites à ${requester} que vous n’avez pas pu continuer; le lien reste valide jusqu’à sa date d’échéance.`,
    },
    suspended: {
      title: 'Ce service n’est pas offert pour le moment',
      what: 'L’organisation qui vous a dirigé ici ne peut pas utiliser notre service en ce moment. Vos données sont conservées telles quelles et rien de nouveau n’est lu. Vous n’avez fait aucune erreur.',
      next: 'Demandez à la personne qui vous a remis le lien quand revenir. Le lien reste valide jusqu’à sa date d’échéance.',
    },
    busy: {
      title: 'Un instant, s’il vous plaît',
      what: 'Notre service ne peut pas répondre en ce moment. Le problème est de notre côté et rien n’est perdu.',
      next: 'Réessayez dans une minute.',
    },
    ours: {
      title: 'Une erreur est survenue de notre côté',
      what: 'Vous n’avez fait aucune erreur. Le problème a été consigné.',
      next: 'Réessayez. Si cela se reproduit, transmettez le code de référence ci-dessous à la personne qui vous a remis le lien.',
    },
  },
}
