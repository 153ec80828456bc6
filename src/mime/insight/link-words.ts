// What a link is for, guessed from its words and address in the languages that mail is written in.
import type { LinkHint } from "../../model/index.ts";

/** A verb and, a word or two further, a password: "Choisir un nouveau mot de passe". */
const RESET_PASSWORD = [
  "(?:reset|(?<!ex)change|forgot(?:ten)?)[-_ ]?(?:(?:your|my|the)[-_ ]?)?pass(?!enger|port)",
  "(?:choose|create|recover|set|set[-_ ]?up|update)[-_ ]?(?:(?:your|my|the|a)[-_ ]?)?password",
  "new[-_ ]password|password[-_/ ]?(?:reset|recovery)|reset[-_ ]credentials|recover (?:access to )?(?:your|my) account",
  "(?:passwort|kennwort) (?:\\S{1,15} )?(?:zur[üu]cksetzen|neu|[äa]ndern|vergessen|festlegen|erstellen)|neues (?:passwort|kennwort)",
  "r[ée]initialis|mot de passe oubli|(?:nouveau|chang\\S{0,9}|modifi\\S{0,9}|cr[ée]e\\S{0,9}|d[ée]fini\\S{0,9}) (?:\\S{1,15} )?mot de passe",
  "restablec|(?:nueva|cambi\\S{0,9}|cre[ae]\\S{0,9}|recuper\\S{0,9}|olvid\\S{0,9}) (?:\\S{1,15} )?contrase",
  "redefini[rçc]|(?:nova|alter\\S{0,9}|cri[ae]\\S{0,9}|recuper\\S{0,9}|troc\\S{0,9}|repor|esquec\\S{0,9}) (?:\\S{1,15} )?(?:senha|palavra-passe)",
  "reimposta|(?:nuova|cambia|recupera|crea|imposta|modifica) (?:\\S{1,15} )?password",
  "nieuw wachtwoord|wachtwoord (?:opnieuw|herstel|reset|wijzig|vergeten|instel)",
  "resetuj|(?:now[ea]|zmień|odzyskaj|ustaw|utwórz) hasło|(?:obnov\\S{0,9}|změnit|nové|resetovat) (?:\\S{1,15} )?heslo",
  "сброс|(?:новый|смен|измен|восстанов|созда|скин|змін|віднов)\\S{0,9} (?:\\S{1,15} )?парол",
  "(?:[åa]terställ|nytt|byt|ändra) (?:ditt )?lösenord|(?:nulstil|skift|ny) (?:din )?adgangskode",
  "(?:tilbakestill|nytt|bytt|endre) (?:ditt )?passord|(?:vaihda|palauta|uusi) salasana",
  "(?:şifre|parola)\\S{0,9} (?:sıfırla|yenile|değiştir)|επαναφορά κωδικού|új jelszó|jelszó visszaállít|(?:reset|schimb)\\S{0,9} parol",
  "إعادة تعيين|تغيير كلمة|(?:đặt lại|đổi) mật khẩu|(?:atur ulang|reset|ubah) (?:kata )?sandi|รีเซ็ตรหัส|ตั้งรหัสผ่านใหม่|איפוס ה?סיסמ",
  "パスワード.{0,40}(?:再設定|リセット|変更|再発行)|(?:重[置设設]|修改|更改|找回)(?:您的|你的)?密[码碼]|비밀번호.{0,40}(?:재설정|변경|초기화)",
];

const HINTS: readonly [LinkHint, RegExp][] = [
  [
    "unsubscribe",
    /unsubscri|opt[-_ ]?out|list-?manage.*unsub|manage (?:your )?(?:email )?preferences|abmelden|abbestellen|austragen|d[ée]sabonn|d[ée]sinscri|dar(?:[mst]e)? de baja|(?:cancelar|anular) (?:la |tu |mi )?suscripci|cancelar (?:a )?(?:inscri|subscri)|descadastr|disiscri|cancellati(?![a-z])|(?:annulla|cancella) (?:l.)?iscrizione|uitschrijven|afmelden|wypisz|odhl[áa]sit|avprenumerer|avregistrer|afmeld|peruuta tilaus|abonelikten|отпис|відпис|配信停止|登録解除|購読(?:解除|停止)|退[订訂]|取消[订訂]|수신\s?거부|구독\s?(?:취소|해지)|zrezygnuj z (?:subskrypcji|newslettera|otrzymywania)|avsluta (?:din )?prenumeration|avmeld|frameld|peru tilaus|leiratkoz|dezabon|απεγγραφ|κατάργηση εγγραφής|إلغاء الاشتراك|hu[ỷy] đăng ký|hủy đăng ký|berhenti berlangganan|ยกเลิกการ(?:รับ|สมัคร)|הסר(?:ה)? מ|ביטול (?:הרשמה|מנוי)/i,
  ],
  ["reset-password", new RegExp(RESET_PASSWORD.join("|"), "i")],
  [
    "verify",
    /v[ée]rif|weryfik|(?<!d[eéi][sz]?)(?:activat|aktivier|active[er]|activar|ativar|attiva|aktywuj)|confirm|(?:complete|finish)[-_ ](?:your[-_ ])?(?:registration|sign[-_ ]?up)|validat|best[äa]tig|confirmer|valider|confirmar|conferma|bevestig|potwierd|bekr[äa]ft|bekr[æe]ft|vahvista|onayla|do[ğg]rula|подтверд|активир|підтверд|確認|認証|有効化|验证|驗證|激活|确认|確認|인증|확인|potvrd|ověř|overiť|megerősít|επιβεβαί|تأكيد|تفعيل|xác (?:nhận|minh|thực)|kích hoạt|konfirmasi|aktifkan|etkinleştir|ยืนยัน|אימות|אישור/i,
  ],
  [
    "sign-in",
    /signin(?!g)|login|(?<![a-z])(?:sign(?:ing)?|log(?:ging)?)[-_ ](?:(?:me|back)[-_ ])?in|magic[-_ ]?link|anmelden|einloggen|melde dich an|connexion|[ms]e connecter|connectez-vous|je me connecte|inici\S{0,5} (?:sesi|sess)|(?<![a-z])entrar|acessar|acceder a (?:mi|tu|su) cuenta|acc[ée]der à (?:mon|votre) compte|accedi(?![a-z])|inloggen|zaloguj|logowani|logga in|(?<![a-z])logg? ind?|kirjaudu|giri[şs]|oturum aç|войти|вход в |увійти|ログイン|サインイン|登录|登入|로그인|přihlás|prihlás|bejelentkez|autentificare|conect(?:are|ează-te)|prijav(?:a|i se)|σύνδεση|συνδεθ|تسجيل الدخول|đăng nhập|(?<![a-z])masuk(?![a-z])|เข้าสู่ระบบ|התחבר/i,
  ],
  [
    "view-online",
    /view (?:this |it )?(?:email |message )?(?:in (?:your |a )?browser|online)|web[-_ ]?version|im browser (?:ansehen|anzeigen|öffnen)|online[- ]?(?:ansehen|version|versie)|version en ligne|dans (?:votre|le) navigateur|ver (?:en|no) (?:el |tu )?navegador|nel browser|(?<![a-z])in (?:(?:de|je|uw) )?browser|w przegl[ąa]darce|в браузере|ブラウザ|浏览器|브라우저|瀏覽器|v prohlížeči|(?<![a-z])i (?:din |deres )?(?:webbläsare|browser|nettleser)|selaimessa|tarayıcı|περιήγησης|böngésző|în browser|trình duyệt|di browser/i,
  ],
];

const MAX_LOOKED_AT_CHARS = 500;

export function hintsFor(text: string, url: string): LinkHint[] {
  if (text === "" && url === "") return [];
  const looked = `${text.slice(0, MAX_LOOKED_AT_CHARS)} ${url.slice(0, MAX_LOOKED_AT_CHARS)}`;
  return HINTS.filter(([, pattern]) => pattern.test(looked)).map(([hint]) => hint);
}
