"""Holds the texts of the sign-in page in English, Japanese and Chinese."""

from collections.abc import Mapping
from dataclasses import dataclass

from backend.auth.principal import Scope
from backend.http.pages.languages import Language


@dataclass(frozen=True, slots=True)
class Translations:
    """The texts of one language, with the placeholders ``{app}``, ``{place}`` and ``{seconds}``."""

    title: str
    access_request: str
    permissions_heading: str
    scopes: Mapping[Scope, str]
    no_session_note: str
    session_note: str
    field_labels: Mapping[str, str]
    approve: str
    deny: str
    redirect_note: str
    language: str
    wrong_credentials: str
    incomplete: str
    throttled: str
    stale_form: str
    unavailable: str
    problem_title: str
    problems: Mapping[str, str]
    problem_advice: str


EN = Translations(
    title="Sign in",
    access_request="{app} asks for access to your Chainproof account.",
    permissions_heading="It will be able to",
    scopes={
        "read": "read markets, topics, timelines and the results of its jobs; and check and correct articles",
        "write": "submit jobs in your name, and store what article checks find",
        "ingest": "add topics and scored runs",
        "admin": "see and cancel the jobs of everyone, and see all stored findings",
    },
    no_session_note="Nobody is signed in here: the password is asked for each time, and {app} never sees it.",
    session_note="This browser stays signed in until you sign out, or do not use it for 12 hours. "
    "{app} never sees your password.",
    field_labels={"username": "User name", "password": "Password"},
    approve="Sign in and allow",
    deny="Refuse",
    redirect_note="Either way you go on to {place}.",
    language="Language",
    wrong_credentials="The user name or the password is wrong, or the account is disabled.",
    incomplete="Enter both your user name and your password.",
    throttled="There were too many attempts. Please try again in {seconds} seconds.",
    stale_form="This page was out of date, or the browser keeps no cookies here. Please try once more.",
    unavailable="The service cannot look this up at the moment. Please try again shortly.",
    problem_title="This request cannot go on",
    problems={
        "client": "No application is registered under the client_id of this request, or it was withdrawn.",
        "redirect": "The redirect_uri of this request is not exactly one that the application registered.",
        "unreadable": "The request cannot be read: its parameters are too long or not UTF-8.",
    },
    problem_advice="Nothing was granted, and you are not sent on. "
    "Go back to the application, and tell its maker.",
)
JA = Translations(
    title="サインイン",
    access_request="{app} が、あなたの Chainproof アカウントへのアクセスを求めています。",
    permissions_heading="許可すると次のことができます",
    scopes={
        "read": "市場、トピック、タイムラインと、自身のジョブの結果の閲覧、記事の点検・修正",
        "write": "あなたの名前でのジョブの実行と、記事の点検結果の保存",
        "ingest": "トピックと評価結果の追加",
        "admin": "全員のジョブの閲覧と取り消し、保存されたすべての点検結果の閲覧",
    },
    no_session_note="サインインした状態は残りません。"
    "パスワードは毎回入力し、{app} に知られることはありません。",
    session_note="このブラウザーでは、サインアウトするか12時間利用しないかぎり、サインインした状態が続きます。"
    "{app} にパスワードが知られることはありません。",
    field_labels={"username": "ユーザー名", "password": "パスワード"},
    approve="サインインして許可",
    deny="拒否",
    redirect_note="どちらを選んでも {place} に移動します。",
    language="言語",
    wrong_credentials="ユーザー名かパスワードが違うか、アカウントが無効になっています。",
    incomplete="ユーザー名とパスワードの両方を入力してください。",
    throttled="試行回数が多すぎます。{seconds} 秒後にもう一度お試しください。",
    stale_form="ページの有効期限が切れたか、ブラウザーが Cookie を保存していません。もう一度お試しください。",
    unavailable="現在サービスが確認を行えません。しばらくしてからもう一度お試しください。",
    problem_title="このリクエストは続行できません",
    problems={
        "client": "このリクエストの client_id で登録されたアプリケーションはないか、取り消されています。",
        "redirect": "このリクエストの redirect_uri は、登録されたものと完全には一致しません。",
        "unreadable": "リクエストを読み取れません。パラメーターが長すぎるか、UTF-8 ではありません。",
    },
    problem_advice="何も許可されておらず、移動もしません。アプリケーションに戻り、開発者に知らせてください。",
)
ZH = Translations(
    title="登录",
    access_request="{app} 请求访问您的 Chainproof 账户。",
    permissions_heading="允许后，它将可以",
    scopes={
        "read": "读取行情、话题、时间线和自身任务的结果；并检查和修正文章",
        "write": "以您的名义提交任务，并保存文章检查的结果",
        "ingest": "添加话题和评测结果",
        "admin": "查看和取消所有人的任务，查看所有已保存的检查结果",
    },
    no_session_note="此处不保留登录状态：每次都需输入密码，{app} 不会得知您的密码。",
    session_note="在此浏览器中将保持登录状态，直到您退出登录，或者12小时未使用。{app} 不会得知您的密码。",
    field_labels={"username": "用户名", "password": "密码"},
    approve="登录并允许",
    deny="拒绝",
    redirect_note="无论如何选择，您都将前往 {place}。",
    language="语言",
    wrong_credentials="用户名或密码错误，或者账户已停用。",
    incomplete="请同时输入用户名和密码。",
    throttled="尝试次数过多。请在 {seconds} 秒后重试。",
    stale_form="页面已过期，或者浏览器未保存 Cookie。请再试一次。",
    unavailable="服务目前无法核实。请稍后重试。",
    problem_title="无法继续此请求",
    problems={
        "client": "没有以此请求的 client_id 注册的应用，或者该应用已被撤销。",
        "redirect": "此请求的 redirect_uri 与应用所注册的并不完全一致。",
        "unreadable": "无法读取此请求：参数过长或不是 UTF-8。",
    },
    problem_advice="没有授予任何权限，也不会跳转。请返回该应用，并告知其开发者。",
)
CATALOGUES: Mapping[Language, Translations] = {"en": EN, "ja": JA, "zh": ZH}
