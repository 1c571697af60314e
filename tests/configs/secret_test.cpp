// What counts as a secret: by name, by the shape of a value, in arguments.
#include "configs/secret.hpp"

#include <utility>

#include "tests/catch.hpp"

namespace bisectd::configs {

TEST_CASE("secrets by their names, and names that only look like them") {
  for (const char* name :
       {"HF_TOKEN", "OTHER_TOKEN", "MY_API_KEY", "AWS_SECRET_ACCESS_KEY", "apiKey", "db.password", "PGPASSWORD", "--token",
        "GIT_CREDENTIALS", "TOKEN_2", "API_TOKEN", "ACCESS_KEY_ID", "hfToken", "APIKEY"})
    CHECK(std::pair(std::string(name), is_secret(name)) == std::pair(std::string(name), true));
  for (const char* name : {"TOKENIZERS_PARALLELISM", "MONKEY_PATCH", "MOE_TOKEN_PERMUTE_FUSED", "KEYBOARD", "FLAGS_keyed",
                           "PASS", "PATH", "MAX_TOKENS", "KEY_CACHE_SIZE", ""})
    CHECK(std::pair(std::string(name), is_secret(name)) == std::pair(std::string(name), false));
}

TEST_CASE("passwords in addresses are taken out, and the rest stays") {
  CHECK(without_secrets("http_proxy", "http://me:hunter2@proxy:3128/x") == "http://me:***@proxy:3128/x");
  CHECK(without_secrets("NO_PROXY", "http://proxy:3128") == "http://proxy:3128");
  CHECK_FALSE(holds_password("http://host:80/a@b"));
  CHECK(without_secrets("HF_TOKEN", "hunter2").find("hunter2") == std::string::npos);
}

TEST_CASE("secrets in arguments") {
  CHECK(secret_begin("", "--token=x") == 8);
  CHECK(secret_begin("--token", "x") == 0);
  CHECK(secret_begin("--data", "https://a:b@c/") == 0);
  CHECK_FALSE(secret_begin("--token=x", "y"));
  CHECK_FALSE(secret_begin("--token", "--other"));
  CHECK_FALSE(secret_begin("", "tokenizer=x"));
  CHECK(secret_begin("", "--export=ALL,HF_TOKEN=x") == 22);
  CHECK(secret_begin("", "https://host/data?part=2&token=x") == 31);
  CHECK_FALSE(secret_begin("", "--config=tokenizer=x"));
  CHECK(without_secrets(std::vector<std::string>{"--token", "x", "--key=y", "z"}) ==
        std::vector<std::string>{"--token", "(secret, not written)", "--key=(secret, not written)", "z"});
}

TEST_CASE("secrets in a script, or in a line that a program printed") {
  CHECK(without_secrets_in("export HF_TOKEN=hunter2 EPOCHS=3; API_KEY='a b' run https://me:hunter2@host/x") ==
        "export HF_TOKEN=(secret, not written) EPOCHS=3; API_KEY=(secret, not written) run https://me:(secret, not "
        "written)@host/x");
  CHECK(without_secrets_in("DATA=https://me:hunter2@host/x") == "DATA=https://me:(secret, not written)@host/x");
  CHECK(without_secrets_in("A=B=C source env.sh && TOKENIZERS_PARALLELISM=false") ==
        "A=B=C source env.sh && TOKENIZERS_PARALLELISM=false");
  CHECK(without_secrets_in("") == "");
}

}  // namespace bisectd::configs
