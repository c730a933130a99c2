/**
 * Common passwords, in lower case. `password-rules.ts` also strips surrounding digits and punctuation and reads digits
 * written for letters, so each entry stands for some hundreds of passwords.
 */
export const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  `
0987654321 112233 11223344 121212 123123123 123321 12341234 12345678910 1234qwer 13131313 147258369 159357 159753 18atcskd2w
1a2b3c 1a2b3c4d 1q2w3e 1q2w3e4r 1q2w3e4r5t 1qaz2wsx 1qaz2wsx3edc 3rjs1la7qe 741852963 789456123 87654321 963852741 987654321
a1b2c3d4 aa123456 aaa111 abc abc123 abc12345 abcabc abcd abcd1234 abracadabra access account accountant accounting admin
administrator africa airforce alakazam alexander alexandra amanda amazing amazon america american amour andrew android angel
angels anthony anybody anything apple april army arsenal asd123 asdasd asdf asdf1234 asdfgh asdfghjkl ashley asshole audi august
austin australia autumn avengers awesome azerty azertyuiop baby babyboy babygirl bailey banana bank banker banking barcelona
baseball basketball batman battery bear bears beatles beautiful believe benjamin berlin bible bienvenue bigboss birthday bitch
black blahblah blessed blessing blue bmw bonjour bonjour123 bookkeeper bookkeeping boss boston brandon broncos brother bulldog
bullshit bunny business buster butterfly calgary california callofduty camaro camille canada canadiens celtics champion changeme
charizard charlie cheese chelsea cherry cheval chevrolet chevy chicago chicken children china chocolat chocolate chouchou christ
christian christina christmas christopher church client clients codat coffee college company computer contrasena cookie cookies
cool coolman corporate correct correcthorsebatterystaple corvette coucou counterstrike countinghouse cowboys credit cricket
crystal cupcake customer dad daddy dallas dance dancer dancing daniel danielle darkness davidson death december default demo
demo1234 demon denver developer development devil diablo diamond docker dodge dollar dollars dolphin dolphins donald doudou
dragon drummer eagle eagles earth easter edmonton elizabeth emerald eminem emma england enter enterprise entrance europe
everything example facebook faith falcon family fantastic father february ferrari finance fire firefly fishing florida flower
flowers foobar foobarbaz football ford forever fortnite france freedom french friday friend friends friendship fuckme fuckoff
fuckyou gamer gaming gandalf garfield george germany ghost ginger github gitlab god godisgood gold golden golf golfer google
gorgeous grace grandma green greenday guest guitar hacker hallelujah halloween halo hannah happiness happy harley harrypotter
hawaii hawk heaven hell hello helloworld helpdesk hero hiphop hobbit hockey hocuspocus hogwarts holiday hollywood honda honey
hope horse horses hunter hunting ihateyou iloveu iloveyou india instagram internet invoice invoices iphone ironman isabella
italy january japan jasper jedi jeep jenkins jennifer jessica jesus jesuschrist jetaime jonathan jordan jordans joseph joshua
july june justin juventus kawasaki killer king kingdom kitten kitty kittycat knight kubernetes lakers lauren ledger legend
lender lending letmein letmeinnow letmeinplease liberty lightning linkedin linux lion liverpool login london loremipsum loulou
love lovely loveme lover loveyou lucky luckyme maggie magic mamour manager manchester manutd mapleleafs march maria marine
marines mario marseille master matrix matthew max maximus may melissa mercedes merlin metallica mexico michael michelle mickey
mickeymouse microsoft midnight minecraft minnie mom mommy monday money mongodb monkey montreal mortgage moscow motdepasse mother
music mustang mypassword myself mysql mystery naruto nathan navy netflix newpassword newyork nicolas nicole ninja nintendo
nirvana nissan nobody nopassword nothing november number numberone october office office365 oldpassword oliver olivia opensesame
openup operator oracle orange ottawa packers panther papillon paris pass passcode passkey passpass passphrase passw0rd password
password1 password123 passwort patrick patriots payment payments paypal peaches pepper perfect phoenix piano pikachu pink pizza
plaid platinum playstation pokemon police porsche postgres postmaster pretty prince princesa princess princesse production
pumpkin puppy purple pussy pwd q1w2e3 q1w2e3r4 q1w2e3r4t5 qazwsx qazwsxedc quebec queen quickbooks qwe123 qweasd qweasdzxc
qweqwe qwer qwer1234 qwerty qwertyuiop qwertz rabbit rachel raiders rainbow ranger rangers realmadrid rebecca red redis redsox
richard robert roblox rocknroll rockstar rocky root ruby rugby running russia samantha sample samsung samurai sandbox santa
sarah satan saturday school scooby scoobydoo secret secret123 secrets secure securepassword security september server service
services sexy sexygirl shadow shark shit silver singer sister skateboard skywalker slipknot smile smokey snoopy snowboard soccer
soldier soleil somebody something sonic sophie spain spiderman spring staging staple starcraft startrek starwars steelers
stephanie steven storm stormy strawberry student subaru summer sunday sunflower sunshine superman supermario superstar superuser
support surfing suzuki sweetheart sweetie swimming sydney sysadmin system taylor teacher temp temporary temppass tennis tesla
test tester testing texas thepassword thequickbrownfox thomas thunder thursday tiger tigger tokyo toronto toyota tresor truck
trucker trust trustno tuesday turtle twitter tyler ubuntu university unlock unlockme usa user vacation vampire vancouver
victoria warcraft warrior webmaster wednesday weekend welcome whatever white william windows winner winter wizard wolf wolves
wonderwoman world xbox xero yamaha yankees yellow yoda yourpassword youtube zaq12wsx zaq1xsw2 zaq1zaq1 zelda zombie zxc123 zxcv
zxcvbn zxcvbnm zxczxc
`
    .trim()
    .split(/\s+/),
)
